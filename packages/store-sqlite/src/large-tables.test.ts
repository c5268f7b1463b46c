import { describeLargeTables } from './testing/large-tables.ts';

describeLargeTables(20_000);
