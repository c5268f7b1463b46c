import { compareDecimals } from '../decimal.ts';
import { compareCodePoints, type JsonValue } from '../values.ts';
import { type ConditionRow, type MatchContext, matches } from '../where/matches.ts';
import type { Where, WhereValue } from '../where/where.ts';

/** One column that a list is ordered by. Nulls come last ascending and first descending. */
export interface SortKey {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  /** Leads to the row of another entity that has the column. Default: it is one of the row itself. */
  readonly through?: Reference;
}

/** How a row leads to a row of another entity. Of one that is not readable, as of none, every column is null. */
export interface Reference {
  /** The column that refers to it. */
  readonly column: string;
  readonly entity: string;
  readonly readable: Where;
}

/** Says whether an order leads to rows of other entities. */
export function isByRelated(order: readonly SortKey[]): boolean {
  return order.some(({ through }) => through !== undefined);
}

/**
 * Reads the values that a row is sorted by.
 *
 * @param context - for keys that lead to other rows
 */
export function readSortCells(
  order: readonly SortKey[],
  row: ConditionRow,
  context: MatchContext = {},
): readonly (JsonValue | Date)[] {
  return order.map(({ column, through }) => {
    const cell = through ? readRelated(through, column, row, context) : row[column];
    if (cell === undefined) throw new TypeError(`Rows can't be ordered by ${column}.`);
    return cell;
  });
}

function readRelated(
  { column: reference, entity, readable }: Reference,
  column: string,
  row: ConditionRow,
  { findRelated }: MatchContext,
): JsonValue | Date | undefined {
  if (!findRelated) throw new TypeError('Nothing here knows the rows of other entities.');
  const id = row[reference];
  const found = typeof id === 'string' ? findRelated(entity, id) : undefined;
  return found && matches(readable, found.row, found.context) ? found.row[column] : null;
}

/** Reads the sort key of a row, as {@link readSortCells} reads its values. */
export function readSortKey(
  order: readonly SortKey[],
  row: ConditionRow,
  context?: MatchContext,
): readonly (WhereValue | null)[] {
  return readSortCells(order, row, context).map((cell) => {
    if (cell instanceof Date) return cell.getTime();
    if (typeof cell === 'object' && cell !== null) throw new TypeError("Rows can't be ordered by JSON.");
    return cell as WhereValue | null;
  });
}

/**
 * Compares two sort keys of one order: the reference implementation of orders.
 *
 * @param isDecimal - says which of its keys are decimals, whose texts compare by size
 */
export function compareSortKeys(
  order: readonly SortKey[],
  a: readonly (WhereValue | null)[],
  b: readonly (WhereValue | null)[],
  isDecimal: (key: SortKey) => boolean = () => false,
): number {
  for (const [index, key] of order.entries()) {
    const difference = compareCells(a[index] ?? null, b[index] ?? null, isDecimal(key));
    if (difference !== 0) return key.direction === 'asc' ? difference : -difference;
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
