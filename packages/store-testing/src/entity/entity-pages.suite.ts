import type { EntityListing, EntityPage, EntityRecord, EntityRow, EntityStore, EntityValues, SortKey } from '@x/store';
import { compareSortKeys, readSortKey } from '@x/store/engine';
import { all, contains, eq, gte, type Where } from '@x/store/where';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { StoreTest } from '../store-test.ts';
import { isDecimalOfTask, sampleTask } from './sample-entities.ts';

/** Describes how lists of rows are walked. */
export function describeEntityPages(it: StoreTest): void {
  describe('pages', () => {
    describeWalks(it);
    describeChanges(it);
  });
}

/** Few values, so that there are ties, and nulls. */
const cells = fc.record({
  title: fc.option(fc.constantFrom('a', 'A', 'é', '\uE000', '😀', ''), { freq: 3 }),
  points: fc.option(fc.integer({ min: -1, max: 1 }), { freq: 3 }),
  weight: fc.option(fc.constantFrom(-0.5, 0, 1e21), { freq: 3 }),
  isDone: fc.option(fc.boolean(), { freq: 3 }),
  cost: fc.option(fc.constantFrom('9.00', '10.00', '-9.00', '-10.00', '0.00'), { freq: 3 }),
  dueOn: fc.option(fc.constantFrom('2026-01-31', '2026-02-01', '0999-12-31'), { freq: 3 }),
  rank: fc.integer({ min: 0, max: 2 }),
});

const keys = fc.record({
  column: fc.constantFrom('title', 'points', 'weight', 'isDone', 'rank', 'ownerId', 'dueAt', 'cost', 'dueOn'),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
});

const orders: fc.Arbitrary<readonly SortKey[]> = fc
  .tuple(fc.uniqueArray(keys, { maxLength: 3, selector: ({ column }) => column }), fc.constantFrom('asc', 'desc'))
  .map(([first, direction]) => [...first, { column: 'id', direction }]);

function describeWalks(it: StoreTest): void {
  it('visit each row once and in order, for any list in pages of 1, 7, 20 and 100', async ({
    stores: { entities },
    rounds,
  }) => {
    const visits = fc.asyncProperty(
      fc.array(cells, { minLength: 15, maxLength: 30 }),
      fc.array(orders, { minLength: 3, maxLength: 3 }),
      async (given, asked) => {
        const rows = await replaceTasks(entities, given);
        for (const order of asked) {
          const expected = rows.toSorted((a, b) =>
            compareSortKeys(order, readSortKey(order, a), readSortKey(order, b), ({ column }) =>
              isDecimalOfTask(column),
            ),
          );
          for (const limit of [1, 7, 20, 100]) {
            const walked = await walk(entities, { where: all, order, limit });
            expect(
              walked.map(({ row }) => row.id),
              JSON.stringify(order),
            ).toEqual(expected.map((row) => row.id));
          }
        }
      },
    );
    await fc.assert(visits, { numRuns: 2 * rounds, endOnFailure: true });
  });

  it('say whether the list continues', async ({ stores: { entities } }) => {
    await replaceTasks(entities, [{ rank: 1 }, { rank: 2 }, { rank: 3 }]);
    for (const order of [byId, byRank]) {
      const hasMoreAfter = async (limit: number): Promise<boolean> =>
        (await entities.list('tasks', { where: all, order, after: null, limit })).hasMore;
      expect(await Promise.all([1, 2, 3, 4].map(hasMoreAfter))).toEqual([true, true, false, false]);
    }
  });

  it('end with the row that makes them as long as they may be', async ({ stores: { entities } }) => {
    const lengths = [500, 500, 3000, 200, 0, 0, 900];
    await replaceTasks(
      entities,
      lengths.map((length, rank) => ({ title: 'é'.repeat(length), rank })),
    );
    for (const where of [all, gte('rank', 0), contains('ownerId', 'ada')]) {
      const walked: number[][] = [];
      for (let after: EntityListing['after'] = null; ;) {
        const bounds = { maxCharacters: 800, caller: 'ada' };
        const page: EntityPage = await entities.list('tasks', { where, order: byRank, after, limit: 100, bounds });
        walked.push(page.records.map(({ row }) => Number(row['rank'])));
        const last = page.records.at(-1);
        if (!page.hasMore || !last) break;
        after = readSortKey(byRank, last.row);
      }
      expect(walked).toEqual([[0, 1], [2], [3, 4, 5, 6]]);
    }
  });

  it('do not count the texts of columns that are secret', async ({ stores: { entities } }) => {
    await replaceTasks(entities, [{ title: 'x'.repeat(2000) }, { title: 'x'.repeat(2000) }]);
    const listing = { where: all, order: byId, after: null, limit: 9 };
    const bounds = { maxCharacters: 1500, uncounted: new Set(['title']) };
    expect((await entities.list('tasks', { ...listing, bounds })).records).toHaveLength(2);
    const counted = { maxCharacters: 1500, uncounted: new Set(['slug']) };
    expect((await entities.list('tasks', { ...listing, bounds: counted })).records).toHaveLength(1);
  });

  it('contain only the rows that satisfy the condition', async ({ stores: { entities } }) => {
    const rows = await replaceTasks(
      entities,
      Array.from({ length: 40 }, (_, index) => ({ points: index % 2 === 0 ? 1 : null, rank: index % 3 })),
    );
    const where = eq('points', 1);
    const order = [
      { column: 'rank', direction: 'desc' },
      { column: 'id', direction: 'desc' },
    ] as const;
    const walked = await walk(entities, { where, order, limit: 7 });
    expect(walked.map(({ row }) => row.id)).toEqual(
      rows
        .filter((row) => row['points'] === 1)
        .toSorted((a, b) =>
          compareSortKeys(order, readSortKey(order, a), readSortKey(order, b), ({ column }) => isDecimalOfTask(column)),
        )
        .map((row) => row.id),
    );
    expect(await entities.count('tasks', where)).toBe(20);
  });
}

function describeChanges(it: StoreTest): void {
  it('skip no remaining row when others are added and deleted meanwhile', async ({ stores: { entities } }) => {
    const rows = await replaceTasks(
      entities,
      Array.from({ length: 60 }, (_, index) => ({ rank: index % 5, points: index % 7 === 0 ? null : index % 3 })),
    );
    const order = [
      { column: 'points', direction: 'asc' },
      { column: 'rank', direction: 'desc' },
      { column: 'id', direction: 'desc' },
    ] as const;
    const gone = new Set(rows.filter((_, index) => index % 4 === 0).map((row) => row.id));
    const leaving = [...gone];
    const walked = await walk(entities, { where: all, order, limit: 7 }, async ([last]) => {
      // The very row that the cursor was made of goes, too.
      if (last) await entities.delete('tasks', last.row.id, { where: all });
      for (const id of leaving.splice(0, 2)) await entities.delete('tasks', id, { where: all });
      await entities.create('tasks', sampleTask({ rank: 1, points: null }));
      await entities.create('tasks', sampleTask({ rank: 4, points: 0 }));
    });
    const ids = walked.map(({ row }) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    const staying = rows.map((row) => row.id).filter((id) => !gone.has(id));
    expect(staying.filter((id) => !ids.includes(id))).toEqual([]);
  });
}

const byId: readonly SortKey[] = [{ column: 'id', direction: 'asc' }];

const byRank: readonly SortKey[] = [{ column: 'rank', direction: 'asc' }, ...byId];

interface Walk {
  readonly where: Where;
  readonly order: readonly SortKey[];
  readonly limit: number;
}

/** Reads a list page by page to its end. */
async function walk(
  entities: EntityStore,
  { where, order, limit }: Walk,
  betweenPages: (page: readonly EntityRecord[]) => Promise<void> = async () => undefined,
): Promise<readonly EntityRecord[]> {
  const walked: EntityRecord[] = [];
  for (;;) {
    const last = walked.at(-1);
    const after = last ? readSortKey(order, last.row) : null;
    const page = await entities.list('tasks', { where, order, after, limit });
    walked.push(...page.records);
    if (!page.hasMore) return walked;
    await betweenPages(page.records.slice(-1));
  }
}

/** Puts tasks with these cells in the place of all that are there; their ids have no order of their own. */
async function replaceTasks(entities: EntityStore, given: readonly EntityValues[]): Promise<readonly EntityRow[]> {
  const old = await walk(entities, { where: all, order: [{ column: 'id', direction: 'asc' }], limit: 100 });
  for (const { row } of old) await entities.delete('tasks', row.id, { where: all });
  const rows = given.map((each, index) => sampleTask({ ...each, id: `${(index * 7919) % 104_729}-${index}` }));
  await Promise.all(rows.map((row) => entities.create('tasks', row)));
  return rows;
}
