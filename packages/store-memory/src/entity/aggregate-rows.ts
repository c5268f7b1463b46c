import type {
  EntityAggregation,
  EntityGroup,
  EntityGroups,
  EntityRow,
  EntityTable,
  EntityValue,
  Measure,
} from '@x/store';
import { compareCodePoints } from '@x/store';
import {
  addExactly,
  assertAggregable,
  compareDecimals,
  type ExactSum,
  type ExactTotal,
  sortGroups,
  toAverage,
  toSum,
  totalToText,
} from '@x/store/engine';

/** Groups rows, and computes what was asked for of each group. */
export function aggregateRows(
  table: EntityTable,
  rows: Iterable<EntityRow>,
  aggregation: EntityAggregation,
): EntityGroups {
  assertAggregable(table, aggregation);
  const { groupBy, measures, limit, bounds } = aggregation;
  const byKey = new Map<string, { readonly key: readonly EntityValue[]; readonly rows: EntityRow[] }>();
  if (groupBy.length === 0) byKey.set('[]', { key: [], rows: [] });
  for (const row of rows) {
    const key = groupBy.map((column) => row[column] ?? null);
    const text = JSON.stringify(key);
    const group = byKey.get(text) ?? { key, rows: [] };
    byKey.set(text, group);
    group.rows.push(row);
  }
  const groups = [...byKey.values()].map((group): EntityGroup => ({
    key: group.key,
    values: measures.map((measure) => measureRows(table, group.rows, measure)),
  }));
  const characters = groups.reduce((sum, { key, values }) => sum + countCharacters([...key, ...values]), 0);
  const hasMore = groups.length > limit || characters >= (bounds?.maxCharacters ?? Infinity);
  return { groups: sortGroups(table, groupBy, groups).slice(0, limit), hasMore };
}

function countCharacters(values: readonly EntityValue[]): number {
  return values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

function measureRows(
  { columns }: EntityTable,
  rows: readonly EntityRow[],
  { function: name, column }: Measure,
): EntityValue {
  const { type = 'text', decimal } = columns.find((each) => each.name === column) ?? {};
  const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null);
  const kind = { type, ...(decimal && { decimal }) };
  switch (name) {
    case 'count':
      return values.length;
    case 'sum':
      return toSum(sumOf(values), kind);
    case 'avg':
      return toAverage(sumOf(values), kind);
    case 'min':
      return values.reduce((a: EntityValue, b) => (a === null || compare(b, a, Boolean(decimal)) < 0 ? b : a), null);
    case 'max':
      return values.reduce((a: EntityValue, b) => (a === null || compare(b, a, Boolean(decimal)) > 0 ? b : a), null);
  }
}

function sumOf(values: readonly EntityValue[]): ExactSum | null {
  if (values.length === 0) return null;
  const total: ExactTotal = new Map();
  // They are numbers or decimals.
  for (const value of values) addExactly(total, value as number | string);
  return { total: totalToText(total), count: values.length };
}

function compare(a: EntityValue, b: EntityValue, areDecimals: boolean): number {
  if (typeof a !== 'string' || typeof b !== 'string') return Number(a) - Number(b);
  return areDecimals ? compareDecimals(a, b) : compareCodePoints(a, b);
}
