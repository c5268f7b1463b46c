import { fromUnits } from '../decimal.ts';
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

/**
 * Says whether values of a type have a sum that every engine computes alike. That of doubles depends on the order in
 * which they are added.
 */
function isSummable(type: ColumnType): boolean {
  return type === 'integer' || type === 'decimal';
}

/** Says whether values of a type have a smallest one on every engine. */
function isOrdered(type: ColumnType): boolean {
  return type !== 'boolean' && type !== 'json';
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

/** The sum of a column in units of its last digit, and of how many values it is; null of none. */
export interface ExactSum {
  readonly units: bigint;
  readonly count: number;
}

/** Converts an exact sum to the value of `sum`. */
export function toSum(sum: ExactSum | null, { decimal }: Pick<EntityColumn, 'decimal'>): EntityValue {
  if (sum === null) return null;
  return decimal ? fromUnits(sum.units, decimal.scale) : Number(sum.units);
}

/** Converts an exact sum to the value of `avg`. */
export function toAverage(sum: ExactSum | null, { decimal }: Pick<EntityColumn, 'decimal'>): EntityValue {
  if (sum === null) return null;
  const divisor = BigInt(sum.count) * 10n ** BigInt(decimal?.scale ?? 0);
  // Only the rest after whole numbers is divided as doubles, so that large sums lose no digits.
  const whole = sum.units / divisor;
  return Number(whole) + Number(sum.units - whole * divisor) / Number(divisor);
}
