import type { SqlDialect } from './sql-dialect.ts';

/** The rows of a table that go first. All parts are SQL. */
interface FirstRows {
  readonly table: string;
  /** The columns that identify a row. */
  readonly key: string;
  readonly where: string;
  readonly order: string;
}

/**
 * Builds the statement that deletes the first rows that satisfy a condition, at most $2, without those that another
 * transaction has locked. A separate `WITH`, because inside `IN`, Postgres may run a locking `LIMIT` more than once.
 */
export function deleteFirst({ lockFreeRows }: SqlDialect, { table, key, where, order }: FirstRows): string {
  return `
  WITH first_rows AS (SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT $2 ${lockFreeRows})
  DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM first_rows)`;
}
