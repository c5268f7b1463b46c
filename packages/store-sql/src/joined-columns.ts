import type { SqlRow } from './sql-driver.ts';

/** The columns of one table in a join, under names that those of the other tables don't have. */
export interface JoinedColumns {
  /** What follows `SELECT`. */
  readonly text: string;

  /** Picks them out of a row, under the names that they have in their table. */
  pick(columns: SqlRow): SqlRow;
}

/** Names the columns of a table that a join calls `alias`. */
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
