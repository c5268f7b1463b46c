import { describePart } from './testing/describe-part.ts';

describePart('auth');
