import type { SqlRow } from './sql-driver.ts';

/** The columns of one table in a join, under unique names. */
export interface JoinedColumns {
  /** The text after `SELECT`. */
  readonly text: string;

  /** Picks them out of a row, under their names in the table. */
  pick(columns: SqlRow): SqlRow;
}

/** Builds the columns of a table that a join calls `alias`. */
export function joinColumns(alias: string, columns: string): JoinedColumns {
  const names = columns.split(', ').map((name): readonly [string, string] => [name, `${alias}_${name}`]);
  return {
    text: names.map(([name, joined]) => `${alias}.${name} AS ${joined}`).join(', '),
    pick(row) {
      const picked: Record<string, unknown> = {};
      for (const [name, joined] of names) picked[name] = row[joined];
      return picked;
    },
  };
}
