import { compareDecimals } from '../decimal.ts';
import type { JsonValue } from '../values.ts';
import { compareCodePoints } from '../where/matches.ts';
import type { WhereValue } from '../where/where.ts';

/** One column that a list is ordered by. Nulls come last ascending and first descending. */
export interface SortKey {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

/** Reads the sort key of a row. */
export function readSortKey(
  order: readonly SortKey[],
  row: Readonly<Record<string, JsonValue | Date>>,
): readonly (WhereValue | null)[] {
  return order.map(({ column }) => {
    const cell = row[column];
    if (cell instanceof Date) return cell.getTime();
    if (cell === undefined || (typeof cell === 'object' && cell !== null)) {
      throw new TypeError(`Rows can't be ordered by ${column}.`);
    }
    return cell as WhereValue | null;
  });
}

/**
 * Compares two sort keys of one order: the reference implementation of orders.
 *
 * @param isDecimal - says which columns are decimals, whose texts compare by size
 */
export function compareSortKeys(
  order: readonly SortKey[],
  a: readonly (WhereValue | null)[],
  b: readonly (WhereValue | null)[],
  isDecimal: (column: string) => boolean = () => false,
): number {
  for (const [index, { column, direction }] of order.entries()) {
    const difference = compareCells(a[index] ?? null, b[index] ?? null, isDecimal(column));
    if (difference !== 0) return direction === 'asc' ? difference : -difference;
  }
  return 0;
}

/** Null is greater than everything. */
function compareCells(a: WhereValue | null, b: WhereValue | null, areDecimals: boolean): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  if (typeof a === 'string' && typeof b === 'string')
    return areDecimals ? compareDecimals(a, b) : compareCodePoints(a, b);
  return a < b ? -1 : 1;
}
