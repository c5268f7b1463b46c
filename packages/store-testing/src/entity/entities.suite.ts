import type { EntityStore, EntityValues } from '@x/store';
import { fromUnits } from '@x/store/engine';
import { all, eq, isNull, ne, none, type Where } from '@x/store/where';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import type { StoreTest } from '../store-test.ts';
import { describeEntityAggregates } from './entity-aggregates.suite.ts';
import { describeEntityConditions } from './entity-conditions.suite.ts';
import { describeEntityCascades } from './entity-cascades.suite.ts';
import { describeEntityConflicts } from './entity-conflicts.suite.ts';
import { describeEntityModel } from './entity-model.suite.ts';
import { describeEntityPages } from './entity-pages.suite.ts';
import { describeRelatedOrders } from './related-orders.suite.ts';
import { sampleId, sampleTask } from './sample-entities.ts';

const ofAda = eq('ownerId', 'ada');
const byId = [{ column: 'id', direction: 'asc' }] as const;

/** Describes what every entity store does. */
export function describeEntities(it: StoreTest): void {
  describe('entities', () => {
    describeContents(it);
    describeConditions(it);
    describeRelated(it);
    describeMistakes(it);
    describeEntityAggregates(it);
    describeEntityConditions(it);
    describeEntityConflicts(it);
    describeEntityCascades(it);
    describeEntityModel(it);
    describeEntityPages(it);
    describeRelatedOrders(it);
  });
}

function describeContents(it: StoreTest): void {
  it('return a row as it was stored, with version 1', async ({ stores: { entities } }) => {
    const row = sampleTask({
      slug: 'first',
      points: Number.MIN_SAFE_INTEGER,
      weight: 0.1 + 0.2,
      isDone: true,
      dueAt: new Date('2026-01-01T00:00:00.123Z'),
      detail: { list: [1, 'two', null, { three: true }] },
      cost: '-9999.99',
      dueOn: '2024-02-29',
    });
    expect(await entities.create('tasks', row)).toEqual({ row, version: 1 });
    expect(await entities.get('tasks', row.id, all)).toEqual({ row, version: 1 });
  });

  it('write decimals with all digits of the column, and -0 as 0', async ({ stores: { entities } }) => {
    const { row } = await entities.create('tasks', sampleTask({ cost: '7.5' }));
    expect(row['cost']).toBe('7.50');
    for (const [given, stored] of [
      ['-0', '0.00'],
      ['0012', '12.00'],
      ['-0.05', '-0.05'],
    ] as const) {
      const changed = await entities.update('tasks', row.id, { values: { cost: given }, where: eq('id', row.id) });
      expect(changed?.row['cost']).toBe(stored);
      expect(await entities.get('tasks', row.id, eq('cost', given)), given).toEqual(changed);
    }
  });

  it('store null for a missing column', async ({ stores: { entities } }) => {
    const created = await entities.create('tasks', { id: sampleId(), ownerId: 'ada', rank: 1 });
    expect(created.row).toEqual({
      ...sampleTask(),
      id: created.row.id,
      title: null,
      points: null,
      rank: 1,
      isDone: null,
    });
  });

  it('return any value that a column can store', async ({ stores: { entities }, rounds }) => {
    const text = fc.oneof(fc.constantFrom(...awkwardTexts), fc.string({ unit: 'binary' }).filter(isStorable));
    const json = fc.jsonValue({ stringUnit: 'grapheme' }).filter((value) => value !== null);
    const anyCells = fc.record({
      title: text,
      ownerId: text,
      points: fc.option(fc.maxSafeInteger()),
      weight: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      isDone: fc.option(fc.boolean()),
      dueAt: fc.option(fc.date({ noInvalidDate: true })),
      detail: fc.option(json),
      cost: fc.option(fc.integer({ min: -999_999, max: 999_999 }).map((units) => fromUnits(units, 2))),
      dueOn: fc.option(fc.date({ noInvalidDate: true, min: yearOne, max: year9999 }).map(toDay)),
    });
    const returns = fc.asyncProperty(anyCells, async (cells) => {
      const given = sampleTask(cells as EntityValues);
      const expected = JSON.parse(JSON.stringify({ ...given, weight: given['weight'] === 0 ? 0 : given['weight'] }));
      const { row } = await entities.create('tasks', given);
      expect(JSON.parse(JSON.stringify(row))).toEqual(expected);
      expect(await entities.get('tasks', given.id, all)).toEqual({ row, version: 1 });
      await entities.delete('tasks', given.id, { where: all });
    });
    await fc.assert(returns, { numRuns: 7 * rounds });
  });

  it('are not affected when the caller changes a row afterwards', async ({ stores: { entities } }) => {
    const [dueAt, detail] = [new Date('2026-01-01T00:00:00.000Z'), { labels: ['a'] }];
    const given = sampleTask({ dueAt, detail });
    const before = structuredClone(given);
    const created = await entities.create('tasks', given);
    dueAt.setTime(0);
    detail.labels.push('b');
    if (created.row['dueAt'] instanceof Date) created.row['dueAt'].setTime(1);
    expect((await entities.get('tasks', given.id, all))?.row).toEqual(before);
  });

  it('change only the named columns and raise the version', async ({ stores: { entities } }) => {
    const { row } = await entities.create('tasks', sampleTask({ detail: { a: 1 } }));
    const change = { title: 'Changed', points: null, dueAt: new Date(5), detail: [1] };
    const changed = await entities.update('tasks', row.id, { values: change, where: all });
    expect(changed).toEqual({ row: { ...row, ...change }, version: 2 });
    expect(await entities.get('tasks', row.id, all)).toEqual(changed);
  });

  it('return a deleted row and no longer find it', async ({ stores: { entities } }) => {
    const created = await entities.create('tasks', sampleTask());
    expect(await entities.delete('tasks', created.row.id, { where: all })).toEqual(created);
    expect(await entities.get('tasks', created.row.id, all)).toBeNull();
    expect(await entities.delete('tasks', created.row.id, { where: all })).toBeNull();
  });

  it('change exactly the rows that satisfy a condition, or none', async ({ stores: { entities } }) => {
    const tasks = [sampleTask({ slug: 'a' }), sampleTask({ points: 7 }), sampleTask({ ownerId: 'eve' })];
    for (const row of tasks) await entities.create('tasks', row);
    expect(await entities.updateAll('tasks', { where: none, values: { points: 9 } })).toBe(0);
    expect(await entities.updateAll('tasks', { where: ofAda, values: { points: 9, cost: '1.5' } })).toBe(2);
    const { records } = await entities.list('tasks', { where: all, order: byId, after: null, limit: 9 });
    const changed = tasks.map((row, index) =>
      index === 2 ? { row, version: 1 } : { row: { ...row, points: 9, cost: '1.50' }, version: 2 },
    );
    expect(records).toEqual(changed.toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1)));
    for (const values of [{ slug: 'b' }, { projectId: sampleId() }]) {
      await expect(entities.updateAll('tasks', { where: ofAda, values })).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect(await entities.list('tasks', { where: all, order: byId, after: null, limit: 9 })).toEqual({
      records,
      hasMore: false,
    });
  });

  it('delete exactly the rows that satisfy a condition', async ({ stores: { entities } }) => {
    const [mine, other] = [sampleTask(), sampleTask({ ownerId: 'eve' })];
    for (const row of [mine, sampleTask(), other]) await entities.create('tasks', row);
    await entities.create('task-notes', { id: sampleId(), taskId: mine.id, body: 'Note' });
    expect(await entities.deleteAll('tasks', none)).toBe(0);
    expect(await entities.deleteAll('tasks', ofAda)).toBe(2);
    expect(await entities.deleteAll('tasks', ofAda)).toBe(0);
    expect(await listAll(entities)).toEqual([{ row: other, version: 1 }]);
    expect(await entities.count('task-notes', all)).toBe(0);
  });

  it('delete none of several rows if a remaining row refers to one of them', async ({ stores }) => {
    const [first, second] = [sampleTask(), sampleTask()];
    const stays = sampleTask({ ownerId: 'eve', nextId: second.id });
    for (const row of [first, second, stays]) await stores.entities.create('tasks', row);
    await stores.transaction(async ({ entities }) => {
      await expect(entities.deleteAll('tasks', ofAda)).rejects.toMatchObject({ code: 'CONFLICT' });
      await entities.update('tasks', stays.id, { values: { nextId: null }, where: all });
    });
    expect(await listAll(stores.entities)).toHaveLength(3);
    await stores.entities.update('tasks', first.id, { values: { nextId: second.id }, where: all });
    await stores.entities.update('tasks', second.id, { values: { nextId: first.id }, where: all });
    expect(await stores.entities.deleteAll('tasks', ofAda), 'they name each other').toBe(2);
  });

  it('commit and roll back rows together with the other steps of a transaction', async ({ stores }) => {
    const [kept, lost] = [sampleTask(), sampleTask()];
    await stores.transaction(async ({ entities, counters }) => {
      await entities.create('tasks', kept);
      await counters.add('tasks', 1);
      expect(await entities.count('tasks', all)).toBe(1);
    });
    const failing = stores.transaction(async ({ entities }) => {
      await entities.create('tasks', lost);
      await entities.update('tasks', kept.id, { values: { title: 'Lost' }, where: all });
      await entities.delete('tasks', kept.id, { where: all });
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await listAll(stores.entities)).toEqual([{ row: kept, version: 1 }]);
  });
}

function describeConditions(it: StoreTest): void {
  it('do not find a row that does not satisfy the condition', async ({ stores: { entities } }) => {
    const mine = await entities.create('tasks', sampleTask());
    const { row: other } = await entities.create('tasks', sampleTask({ ownerId: 'eve' }));
    const unknown: Where = ne('weight', 1);
    for (const where of [ofAda, none, unknown]) {
      expect(await entities.get('tasks', other.id, where)).toBeNull();
      expect(await entities.update('tasks', other.id, { values: { title: 'Mine' }, where })).toBeNull();
      expect(await entities.delete('tasks', other.id, { where })).toBeNull();
    }
    expect(await entities.list('tasks', { where: ofAda, order: byId, after: null, limit: 10 })).toEqual({
      records: [mine],
      hasMore: false,
    });
    expect(await entities.count('tasks', ofAda)).toBe(1);
    expect(await entities.get('tasks', other.id, all)).toEqual({ row: other, version: 1 });
  });

  it('refuse a change that expects another version', async ({ stores: { entities } }) => {
    const id = (await entities.create('tasks', sampleTask())).row.id;
    const change = { values: { title: 'Changed' }, where: ofAda };
    expect(await entities.update('tasks', id, { ...change, version: 2 })).toBeNull();
    expect(await entities.update('tasks', id, { ...change, version: 1 })).toMatchObject({ version: 2 });
    expect(await entities.update('tasks', id, { ...change, version: 1 })).toBeNull();
    expect(await entities.delete('tasks', id, { where: ofAda, version: 1 })).toBeNull();
    expect(await entities.delete('tasks', id, { where: ofAda, version: 2 })).not.toBeNull();
  });

  it('check the condition against the row before the change', async ({ stores: { entities } }) => {
    const id = (await entities.create('tasks', sampleTask())).row.id;
    const away = { values: { ownerId: 'eve' }, where: ofAda };
    expect(await entities.update('tasks', id, away)).toMatchObject({ row: { ownerId: 'eve' } });
    expect(await entities.update('tasks', id, away)).toBeNull();
  });

  it('find a row by a unique key, if it satisfies a condition', async ({ stores: { entities } }) => {
    const projectId = sampleId();
    await entities.create('projects', { id: projectId, name: 'Project' });
    const dueAt = new Date(5);
    const task = await entities.create(
      'tasks',
      sampleTask({ slug: 'a', dueAt, projectId, cost: '7.50', dueOn: '2026-01-31' }),
    );
    await entities.create('tasks', sampleTask({ slug: 'b', projectId, cost: '7.50', dueOn: '2026-02-01' }));
    const keys = [{ slug: 'a' }, { dueAt }, { dueOn: '2026-01-31', projectId, cost: '7.5' }];
    for (const key of keys) {
      expect(await entities.lockByKey('tasks', key, ofAda)).toEqual(task);
      expect(await entities.lockByKey('tasks', key, eq('ownerId', 'eve'))).toBeNull();
    }
    for (const slug of ['c', 'A', '']) expect(await entities.lockByKey('tasks', { slug }, all)).toBeNull();
  });

  it('find an id exactly as it is spelled', async ({ stores: { entities } }) => {
    await entities.create('tasks', sampleTask({ id: 'Aé😀' }));
    expect(await entities.get('tasks', 'Aé😀', all)).toMatchObject({ version: 1 });
    for (const id of [...awkwardTexts, 'aé😀', "' OR 1=1 --"]) expect(await entities.get('tasks', id, all)).toBeNull();
  });
}

function describeRelated(it: StoreTest): void {
  it('list rows by their ids in the order in which they are asked for', async ({ stores: { entities } }) => {
    const [first, second, foreign] = [sampleTask(), sampleTask(), sampleTask({ ownerId: 'eve' })];
    for (const row of [first, second, foreign]) await entities.create('tasks', row);
    const values = [second.id, sampleId(), first.id, foreign.id, second.id];
    const { records } = await entities.listRelated('tasks', { column: 'id', values, where: ofAda, limitEach: 1 });
    expect(records.map(({ row }) => row)).toEqual([second, first]);
  });

  it('end a page of related rows at its size', async ({ stores: { entities } }) => {
    const [first, second] = [sampleId(), sampleId()];
    for (const id of [first, second]) await entities.create('projects', { id, name: 'Project' });
    const made = [second, second, first].map((projectId) => sampleTask({ projectId, title: 'x'.repeat(1000) }));
    for (const row of made) await entities.create('tasks', row);
    const listRelated = async (maxCharacters: number): Promise<unknown> => {
      const listing = { column: 'projectId', values: [second, first], where: all, limitEach: 2 };
      const { records, hasMore } = await entities.listRelated('tasks', { ...listing, bounds: { maxCharacters } });
      return [records.map(({ row }) => row.id), hasMore];
    };
    const ids = made.map(({ id }) => id);
    expect(await listRelated(1)).toEqual([ids.slice(0, 1), true]);
    expect(await listRelated(1500)).toEqual([ids.slice(0, 2), true]);
    expect(await listRelated(2500)).toEqual([ids, false]);
  });

  it('list the rows related to several others, limited for each of them', async ({ stores: { entities } }) => {
    const [first, second, empty] = [sampleId(), sampleId(), sampleId()];
    for (const id of [first, second, empty]) await entities.create('projects', { id, name: 'Project' });
    const made = [first, second, first, first, second].map((projectId) => sampleTask({ projectId }));
    for (const row of made) await entities.create('tasks', row);
    await entities.create('tasks', sampleTask({ projectId: first, ownerId: 'eve' }));
    await entities.create('tasks', sampleTask());
    const { records, hasMore } = await entities.listRelated('tasks', {
      column: 'projectId',
      values: [second, empty, first, first],
      where: ofAda,
      limitEach: 2,
    });
    expect(records.map(({ row }) => row)).toEqual([made[1], made[4], made[0], made[2]]);
    expect(hasMore).toBe(false);
    expect(await entities.listRelated('tasks', { column: 'projectId', values: [], where: all, limitEach: 2 })).toEqual({
      records: [],
      hasMore: false,
    });
  });
}

function describeMistakes(it: StoreTest): void {
  it('throw for names that were not declared', async ({ stores: { entities } }) => {
    const row = sampleTask();
    await entities.create('tasks', row);
    const mistakes: readonly (() => Promise<unknown>)[] = [
      () => entities.create('nothing', row),
      () => entities.lock('nothing', [row.id], all),
      () => entities.create('tasks', { ...row, id: sampleId(), 'title"': 'x' }),
      () => entities.create('tasks', { ...row, id: sampleId(), _version: 7 }),
      () => entities.create('tasks', { ...row, id: sampleId(), ownerId: null }),
      () => entities.create('tasks', { ...row, id: sampleId(), points: 1.5 }),
      () => entities.create('tasks', { ...row, id: sampleId(), weight: Number.NaN }),
      () => entities.create('tasks', { ...row, id: sampleId(), isDone: 1 }),
      () => entities.create('tasks', { ...row, id: sampleId(), dueAt: 0 }),
      () => entities.create('tasks', { ...row, id: sampleId(), cost: 1 }),
      () => entities.create('tasks', { ...row, id: sampleId(), cost: '1.005' }),
      () => entities.create('tasks', { ...row, id: sampleId(), cost: '10000' }),
      () => entities.create('tasks', { ...row, id: sampleId(), dueOn: '2026-02-29' }),
      () => entities.create('tasks', { ...row, id: sampleId(), dueOn: '2026-1-01' }),
      () => entities.update('tasks', row.id, { values: {}, where: all }),
      () => entities.update('tasks', row.id, { values: { id: sampleId() }, where: all }),
      () => entities.get('tasks', row.id, isNull('nothing')),
      () => entities.lockByKey('tasks', {}, all),
      () => entities.lockByKey('tasks', { ownerId: 'ada' }, all),
      () => entities.lockByKey('tasks', { slug: null }, all),
      () => entities.lockByKey('tasks', { slug: 1 }, all),
      () => entities.lockByKey('tasks', { slug: 'a', ownerId: 'ada' }, all),
      () => entities.lockByKey('tasks', { projectId: row.id, cost: '1.00' }, all),
      () =>
        entities.list('tasks', {
          where: all,
          order: [{ column: 'detail', direction: 'asc' }],
          after: null,
          limit: 1,
        }),
      () => entities.listRelated('tasks', { column: 'ownerId', values: ['ada'], where: all, limitEach: 1 }),
    ];
    for (const mistake of mistakes) await expect(mistake(), mistake.toString()).rejects.toThrow(TypeError);
    expect(await listAll(entities)).toEqual([{ row, version: 1 }]);
  });
}

const [yearOne, year9999] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T00:00:00Z')];

function toDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

async function listAll(entities: EntityStore): Promise<unknown> {
  return (await entities.list('tasks', { where: all, order: byId, after: null, limit: 1000 })).records;
}
