import type { EntityRecord } from '@x/store';

import type { SqlScope } from '../sql-driver.ts';
import { toEntityRecord } from './entity-row.ts';
import type { BuiltStatement } from './statement.ts';

/** Runs a statement that reads, and returns its rows. */
export async function read(sql: SqlScope, { table, text, values }: BuiltStatement): Promise<readonly EntityRecord[]> {
  return (await sql.read(text, values)).map((row) => toEntityRecord(table, row));
}
