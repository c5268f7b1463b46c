import { describePart } from './testing/describe-part.ts';

describePart('auth', process.env['DEEP'] ? 80 : 1);
