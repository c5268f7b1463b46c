import type { EntityRecord } from '@x/store';

import type { SqlRow, SqlScope } from '../sql-driver.ts';
import { toEntityRecord } from './entity-row.ts';
import type { SqlTable } from './sql-table.ts';
import type { BuiltStatement } from './statement.ts';

/** Runs a statement that reads, and returns its rows. */
export async function read(sql: SqlScope, { table, text, values }: BuiltStatement): Promise<readonly EntityRecord[]> {
  return toRecords(table, await sql.read(text, values));
}

/** Converts the rows of a table's selection. */
export function toRecords(table: SqlTable, rows: readonly SqlRow[]): readonly EntityRecord[] {
  return rows.map((row) => toEntityRecord(table, row));
}
