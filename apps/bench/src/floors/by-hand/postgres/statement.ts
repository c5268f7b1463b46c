import type { Pool, QueryResult, QueryResultRow } from 'pg';

/** Returns what runs a named statement, which each connection parses and plans only once. */
export function statement<Row extends QueryResultRow, Values extends readonly (string | number)[]>(
  pool: Pool,
  name: string,
  text: string,
): (...values: Values) => Promise<QueryResult<Row>> {
  return (...values) => pool.query<Row>({ name, text, values: [...values] });
}
