import { hash } from 'node:crypto';
import type { EntityRow } from './entities.ts';
import type { EntityTable } from './entity-table.ts';

/** How many hexadecimal digits a digest has: as an integer it has 15 digits at most, and is a safe one. */
const digits = 12;

/** Returns a number that stands for the values of a row: the version of rows whose table has no column for it. */
export function digestRow({ columns }: EntityTable, row: EntityRow): number {
  const cells = ['id', ...columns.map(({ name }) => name)].map((name) => row[name] ?? null);
  return Number.parseInt(hash('sha256', JSON.stringify(cells)).slice(0, digits), 16);
}
