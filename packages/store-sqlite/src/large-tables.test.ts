import { describeLargestTexts, describeLargeTables } from './testing/large-tables.ts';

describeLargeTables(20_000);
describeLargestTexts(20);
