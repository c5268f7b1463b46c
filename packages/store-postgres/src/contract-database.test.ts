import { describePart } from './testing/describe-part.ts';

describePart('database', process.env['DEEP'] ? 80 : 1);
