import { describePart } from './testing/describe-part.ts';

describePart('access', process.env['DEEP'] ? 80 : 1);
