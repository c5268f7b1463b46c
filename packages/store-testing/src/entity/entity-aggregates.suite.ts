import type { AggregateFunction, EntityAggregation, EntityRow, EntityValue, EntityValues, Measure } from '@x/store';
import { all, eq, gt, matches, not, type Where } from '@x/store/where';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { StoreTest } from '../store-test.ts';
import { isDecimalOfTask, sampleTask } from './sample-entities.ts';

/** Describes how rows are grouped, and what is computed of each group. */
export function describeEntityAggregates(it: StoreTest): void {
  describe('aggregates', () => {
    describeExamples(it);
    describeModel(it);
  });
}

const measure = (name: AggregateFunction, column: string): Measure => ({ function: name, column });

const ofAll = { where: all, groupBy: [], limit: 10 } as const;

function describeExamples(it: StoreTest): void {
  it('are exact for the largest integers and decimals', async ({ stores: { entities } }) => {
    const columns = { points: Number.MAX_SAFE_INTEGER, cost: '9999.99', ownerId: 'ada' };
    for (let index = 0; index < 1100; index += 1) await entities.create('tasks', sampleTask(columns));
    await entities.create('tasks', sampleTask({ ...columns, points: null, cost: '-0.05' }));
    const measures = [
      measure('sum', 'points'),
      measure('avg', 'points'),
      measure('sum', 'cost'),
      measure('avg', 'cost'),
    ];
    const { groups } = await entities.aggregate('tasks', { ...ofAll, measures });
    expect(groups).toEqual([
      {
        key: [],
        values: [
          String(BigInt(Number.MAX_SAFE_INTEGER) * 1100n),
          Number.MAX_SAFE_INTEGER,
          '10999988.95',
          // 9990.9073115…
          '9990.907312',
        ],
      },
    ]);
  });

  it('round the average of decimals half away from zero', async ({ stores: { entities } }) => {
    const averages: readonly (readonly [count: number, cost: string, expected: string])[] = [
      [3, '0.01', '0.003333'],
      [3, '-0.02', '-0.006667'],
      [32, '0.01', '0.000313'],
      [32, '-0.01', '-0.000313'],
    ];
    for (const [count, cost, expected] of averages) {
      await entities.deleteAll('tasks', all);
      for (let index = 1; index < count; index += 1) await entities.create('tasks', sampleTask({ cost: '0.00' }));
      await entities.create('tasks', sampleTask({ cost }));
      const { groups } = await entities.aggregate('tasks', { ...ofAll, measures: [measure('avg', 'cost')] });
      expect(groups).toEqual([{ key: [], values: [expected] }]);
    }
  });

  it('sum doubles as they are written, in any order', async ({ stores: { entities } }) => {
    const sums: readonly (readonly [readonly number[], unknown, unknown])[] = [
      [[0.1, 0.2], 0.3, 0.15],
      [[1e16, 1, -1e16], 1, 1 / 3],
      [[-1e16, 1e16, 1, 1], 2, 0.5],
      [[5e-324, 1e308, -1e308], 5e-324, 0],
      [[Number.MAX_VALUE, Number.MAX_VALUE], `35953862697246314${'0'.repeat(292)}`, Number.MAX_VALUE],
    ];
    for (const [weights, total, average] of sums) {
      await entities.deleteAll('tasks', all);
      for (const weight of weights) await entities.create('tasks', sampleTask({ weight }));
      const measures = [measure('sum', 'weight'), measure('avg', 'weight')];
      const { groups } = await entities.aggregate('tasks', { ...ofAll, measures });
      expect(groups).toEqual([{ key: [], values: [total, average] }]);
    }
  });

  it('order false before true', async ({ stores: { entities } }) => {
    for (const isDone of [true, null, false])
      await entities.create('tasks', sampleTask({ isDone, points: isDone ? 1 : 2 }));
    const measures = [measure('min', 'isDone'), measure('max', 'isDone')];
    const { groups } = await entities.aggregate('tasks', { ...ofAll, measures });
    expect(groups).toEqual([{ key: [], values: [false, true] }]);
    const ofOne = await entities.aggregate('tasks', { ...ofAll, groupBy: ['points'], measures });
    expect(ofOne.groups).toEqual([
      { key: [1], values: [true, true] },
      { key: [2], values: [false, false] },
    ]);
  });

  it('are one group without columns to group by, and none of no rows with them', async ({ stores: { entities } }) => {
    const measures = (['count', 'sum', 'avg', 'min', 'max'] as const).map((name) => measure(name, 'rank'));
    const { groups } = await entities.aggregate('tasks', { ...ofAll, measures });
    expect(groups).toEqual([{ key: [], values: [0, null, null, null, null] }]);
    const grouped = { ...ofAll, groupBy: ['ownerId'], measures };
    expect(await entities.aggregate('tasks', grouped)).toEqual({ groups: [], hasMore: false });
  });

  it('are at most as many groups and characters as asked for', async ({ stores: { entities } }) => {
    for (const title of ['a', 'b', 'c']) await entities.create('tasks', sampleTask({ title: title.repeat(100) }));
    const byTitle = { where: all, groupBy: ['title'], measures: [measure('count', 'id')] };
    expect(await entities.aggregate('tasks', { ...byTitle, limit: 3 })).toMatchObject({ hasMore: false });
    const fewer = await entities.aggregate('tasks', { ...byTitle, limit: 2 });
    expect([fewer.groups.length, fewer.hasMore]).toEqual([2, true]);
    const short = await entities.aggregate('tasks', { ...byTitle, limit: 3, bounds: { maxCharacters: 150 } });
    expect(short.hasMore).toBe(true);
  });

  it('are refused of columns that do not exist or have no such value', async ({ stores: { entities } }) => {
    const mistakes: readonly (readonly [readonly string[], Measure])[] = [
      [['nothing'], measure('count', 'id')],
      [['detail'], measure('count', 'id')],
      [[], measure('sum', 'isDone')],
      [[], measure('avg', 'title')],
      [[], measure('min', 'detail')],
      [[], measure('max', 'detail')],
      [[], measure('median' as 'max', 'points')],
    ];
    for (const [groupBy, each] of mistakes) {
      const aggregation = { where: all, groupBy, measures: [each], limit: 1 };
      await expect(entities.aggregate('tasks', aggregation)).rejects.toThrow(TypeError);
    }
  });
}

/** Doubles whose sums depend on the order in which engines add them, and their exact values in units of 1e-7. */
const weights: ReadonlyMap<number, bigint> = new Map([
  [0, 0n],
  [-0.5, -5_000_000n],
  [0.1, 1_000_000n],
  [0.2, 2_000_000n],
  [1e-7, 1n],
  [1e21, 10n ** 28n],
  [-1e21, -(10n ** 28n)],
]);

/** Few values, so that groups have several rows, and nulls. */
const cells = fc.record({
  ownerId: fc.constantFrom('ada', 'eve'),
  title: fc.option(fc.constantFrom('a', 'A', 'é', '\uE000', '😀', ''), { freq: 3 }),
  points: fc.option(fc.constantFrom(-7, 0, 3, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), { freq: 3 }),
  weight: fc.option(fc.constantFrom(...weights.keys()), { freq: 3 }),
  isDone: fc.option(fc.boolean(), { freq: 3 }),
  cost: fc.option(fc.constantFrom('9.00', '10.00', '-9.05', '0.00', '-0.01'), { freq: 3 }),
  dueOn: fc.option(fc.constantFrom('2026-01-31', '0999-12-31'), { freq: 3 }),
  rank: fc.integer({ min: 0, max: 2 }),
});

const keyColumns = fc.constantFrom('ownerId', 'title', 'points', 'weight', 'isDone', 'cost', 'dueOn', 'dueAt', 'rank');

const anyMeasure = fc.oneof(
  fc
    .constantFrom('points', 'rank', 'cost', 'weight')
    .chain((column) =>
      fc.constantFrom<AggregateFunction>('count', 'sum', 'avg', 'min', 'max').map((name) => measure(name, column)),
    ),
  fc
    .constantFrom('title', 'isDone', 'dueOn', 'dueAt', 'ownerId', 'id')
    .chain((column) => fc.constantFrom<AggregateFunction>('count', 'min', 'max').map((name) => measure(name, column))),
  fc.constant(measure('count', 'detail')),
);

const anyAggregation: fc.Arbitrary<EntityAggregation> = fc.record({
  where: fc.constantFrom<Where[]>(
    all,
    eq('ownerId', 'ada'),
    gt('points', 0),
    not(eq('title', 'a')),
    gt('cost', '0.00'),
  ),
  groupBy: fc.uniqueArray(keyColumns, { maxLength: 3 }),
  measures: fc.array(anyMeasure, { minLength: 1, maxLength: 4 }),
  limit: fc.constant(100),
});

function describeModel(it: StoreTest): void {
  it('agree with a naive reading of the rows for any aggregation', async ({ stores: { entities }, rounds }) => {
    const agrees = fc.asyncProperty(
      fc.array(cells, { maxLength: 20 }),
      fc.array(anyAggregation, { minLength: 10, maxLength: 10 }),
      async (given, asked) => {
        await entities.deleteAll('tasks', all);
        const rows = given.map((each: EntityValues, index) =>
          sampleTask({
            ...each,
            detail: index % 2 === 0 ? null : [index],
            dueAt: index % 3 === 0 ? null : new Date(index),
          }),
        );
        for (const row of rows) await entities.create('tasks', row);
        for (const aggregation of asked) {
          const { groups, hasMore } = await entities.aggregate('tasks', aggregation);
          expect(hasMore).toBe(false);
          expect(groups, JSON.stringify(aggregation)).toEqual(aggregateNaively(rows, aggregation));
        }
      },
    );
    await fc.assert(agrees, { numRuns: 4 * rounds, endOnFailure: true });
  });
}

function aggregateNaively(rows: readonly EntityRow[], { where, groupBy, measures }: EntityAggregation): unknown {
  const found = rows.filter((row) => matches(where, row, { isDecimal: isDecimalOfTask }));
  const groups = Map.groupBy(found, (row) => JSON.stringify(groupBy.map((column) => row[column])));
  if (groupBy.length === 0 && groups.size === 0) groups.set('[]', []);
  return [...groups.values()]
    .toSorted((a, b) => compareKeys(groupBy, a[0], b[0]))
    .map((group) => ({
      key: groupBy.map((column) => group[0]?.[column]),
      values: measures.map((each) => measureNaively(each, group)),
    }));
}

function compareKeys(groupBy: readonly string[], a: EntityRow | undefined, b: EntityRow | undefined): number {
  for (const column of groupBy) {
    const [one, other] = [rankOf(column, a?.[column]), rankOf(column, b?.[column])];
    if (one !== other) return one === null ? 1 : other === null ? -1 : one < other ? -1 : 1;
  }
  return 0;
}

/** Converts a value to one that JavaScript orders as the stores do: texts by code point. */
function rankOf(column: string, value: EntityValue | undefined): number | string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') return Number(value);
  if (isDecimalOfTask(column)) return Number(value);
  return Array.from(value, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join('');
}

function measureNaively({ function: name, column }: Measure, rows: readonly EntityRow[]): EntityValue {
  const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null);
  if (name === 'count') return values.length;
  if (values.length === 0) return null;
  if (name === 'min' || name === 'max') {
    const sorted = values.toSorted((a, b) => ((rankOf(column, a) ?? 0) < (rankOf(column, b) ?? 0) ? -1 : 1));
    return (name === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
  }
  const digits = fractionDigits[column] ?? 0;
  const sum = values.reduce((total: bigint, value) => total + toUnits(column, value), 0n);
  const count = BigInt(values.length);
  if (column === 'cost') return name === 'sum' ? (Number(sum) / 100).toFixed(2) : averageCost(sum, count);
  if (name === 'avg') return Number(`${(sum * 10n ** 40n) / count}e-${digits + 40}`) + 0;
  const total = Number(`${sum}e-${digits}`);
  return column === 'weight' || Number.isSafeInteger(total) ? total : String(sum);
}

/** How many digits the values of columns have after the point. */
const fractionDigits: Readonly<Record<string, number>> = { cost: 2, weight: 7 };

function toUnits(column: string, value: EntityValue): bigint {
  if (column === 'weight') return weights.get(Number(value)) ?? 0n;
  return BigInt(Math.round(Number(value) * 10 ** (fractionDigits[column] ?? 0)));
}

/** Finds the text of the average with six digits, which is at most half of the last one away. */
function averageCost(cents: bigint, count: bigint): string {
  const size = cents < 0n ? -cents : cents;
  let millionths = (size * 10_000n) / count;
  if ((size * 10_000n - millionths * count) * 2n >= count) millionths += 1n;
  const text = `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`;
  return cents < 0n && millionths > 0n ? `-${text}` : text;
}
