import { fromUnits, toUnits } from '../decimal.ts';
import type { WhereValue } from '../where/where.ts';
import type { AggregateFunction, EntityAggregation, EntityGroup, EntityValue } from './entities.ts';
import type { ColumnType, EntityColumn, EntityTable } from './entity-table.ts';
import { compareSortKeys, readSortKey } from './sort-key.ts';

/**
 * Asserts that a table has the columns of an aggregation, and that they are of a type that it takes.
 *
 * @throws TypeError
 */
export function assertAggregable(table: EntityTable, { groupBy, measures }: EntityAggregation): void {
  for (const column of groupBy) assertType(table, { column, accepts: (type) => type !== 'json' });
  for (const { function: name, column } of measures) {
    const accepts = Object.hasOwn(accepted, name) ? accepted[name] : () => false;
    assertType(table, { column, accepts });
  }
}

const accepted: Readonly<Record<AggregateFunction, (type: ColumnType) => boolean>> = {
  count: () => true,
  sum: isSummable,
  avg: isSummable,
  min: isOrdered,
  max: isOrdered,
};

function isSummable(type: ColumnType): boolean {
  return type === 'integer' || type === 'number' || type === 'decimal';
}

/** Says whether values of a type have a smallest one on every engine: of booleans, it is false. */
function isOrdered(type: ColumnType): boolean {
  return type !== 'json';
}

function assertType(
  { name, columns }: EntityTable,
  { column, accepts }: { readonly column: string; readonly accepts: (type: ColumnType) => boolean },
): void {
  const type = column === 'id' ? 'text' : columns.find((each) => each.name === column)?.type;
  if (type === undefined || !accepts(type)) throw new TypeError(`Rows of ${name} can't be aggregated by ${column}.`);
}

/** Sorts groups by their keys. */
export function sortGroups(
  { columns }: EntityTable,
  groupBy: readonly string[],
  groups: readonly EntityGroup[],
): readonly EntityGroup[] {
  const order = groupBy.map((column) => ({ column, direction: 'asc' as const }));
  const decimals = new Set(columns.filter(({ decimal }) => decimal).map(({ name }) => name));
  const keyOf = ({ key }: EntityGroup): readonly (WhereValue | null)[] =>
    readSortKey(order, Object.fromEntries(groupBy.map((column, index) => [column, key[index] ?? null])));
  return groups
    .map((group) => ({ group, key: keyOf(group) }))
    .toSorted((a, b) => compareSortKeys(order, a.key, b.key, ({ column }) => decimals.has(column)))
    .map(({ group }) => group);
}

/** The exact sum of some values, and how many there are. */
export interface ExactSum {
  /** Without an exponent. */
  readonly total: string;
  /** At least 1. */
  readonly count: number;
}

/** Converts an exact sum to the value of `sum`; null stands for no values. */
export function toSum(sum: ExactSum | null, { type, decimal }: Pick<EntityColumn, 'type' | 'decimal'>): EntityValue {
  if (sum === null) return null;
  const { total } = sum;
  if (decimal) return fromUnits(toUnits(total, decimal.scale), decimal.scale);
  const number = Number(total);
  if (type === 'integer') return Number.isSafeInteger(number) ? number : total;
  // No double is that large.
  return Number.isFinite(number) ? number : (total.split('.')[0] ?? total);
}

/** How many more digits the average of decimals has than they have. */
const moreDigits = 4;

/** Converts an exact sum to the value of `avg`; null stands for no values. */
export function toAverage(sum: ExactSum | null, { decimal }: Pick<EntityColumn, 'decimal'>): EntityValue {
  if (sum === null) return null;
  const count = BigInt(sum.count);
  if (decimal) {
    const scale = decimal.scale + moreDigits;
    return fromUnits(divideRounded(toUnits(sum.total, scale), count), scale);
  }
  const total = sum.total.includes('.') ? sum.total.replace(/\.?0+$/, '') : sum.total;
  // Many more digits than those of a double, so that this is the nearest one, or the next if two are as near.
  const scale = (total.split('.')[1] ?? '').length + 40;
  // Adding zero removes the sign of a negative zero.
  return Number(fromUnits(toUnits(total, scale) / count, scale)) + 0;
}

/** Divides by a positive number and rounds half away from zero. */
function divideRounded(units: bigint, divisor: bigint): bigint {
  const size = units < 0n ? -units : units;
  const rounded = (2n * size + divisor) / (2n * divisor);
  return units < 0n ? -rounded : rounded;
}
