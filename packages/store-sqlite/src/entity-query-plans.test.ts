import type { EntityListing, EntityStore, SortKey } from '@x/store';
import { all, and, eq, gt, istartsWith, related } from '@x/store/where';
import { createSqlStores, type SqlDriver } from '@x/store-sql';
import { sampleEntities } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations } from './migrations/migrations.ts';

const ofAda = eq('ownerId', 'ada');
const clock = new ManualClock();

let driver: SqlDriver;
let entities: EntityStore;
let lastText = '';

beforeAll(async () => {
  driver = createSqliteDriver({ path: ':memory:', clock, synchronous: 'FULL', migrations });
  const noting: SqlDriver = {
    ...driver,
    read: async (text, values) => driver.read((lastText = text), values),
    query: async (text, values, options) => driver.query((lastText = text), values, options),
    attempt: async (text, values) => driver.attempt((lastText = text), values),
  };
  const stores = createSqlStores({ driver: noting, clock, entities: sampleEntities });
  await stores.migrate();
  entities = stores.entities;
});

afterAll(async () => driver.close());

/** How SQLite reads rows: `SEARCH` looks them up in an index, `SCAN` walks. */
async function planOf(step: Promise<unknown>): Promise<readonly string[]> {
  await step;
  const values = Array.from({ length: 32 }, () => null);
  const rows = await driver.read(`EXPLAIN QUERY PLAN ${lastText}`, values);
  return rows
    .map((row) => String(row['detail']))
    .filter((detail) => detail !== 'SCAN json_each VIRTUAL TABLE INDEX 1:');
}

function list(
  columns: readonly string[],
  options: Partial<EntityListing> & { readonly direction?: SortKey['direction'] } = {},
): Promise<unknown> {
  const { direction = 'asc', ...listing } = options;
  const order = columns.map((column) => ({ column, direction }));
  return entities.list('tasks', { where: all, order, after: null, limit: 20, ...listing });
}

it('finds rows that refer to a row by the index of the reference', async () => {
  const where = related('projectId', { entity: 'projects', readable: all, where: eq('id', 'p') });
  const plan = await planOf(list(['rank'], { where }));
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(project_id=\?\)$/));
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH app_projects USING .*\(id=\?\)$/));
});

it('sorts rows that an index finds by the rows that they refer to, and looks each of those up by its id', async () => {
  const through = { column: 'projectId', entity: 'projects', readable: all };
  const order = [{ column: 'name', direction: 'asc', through } as const, { column: 'id', direction: 'asc' } as const];
  for (const after of [null, ['x', 'y']]) {
    const plan = await planOf(entities.list('tasks', { where: ofAda, order, after, limit: 20 }));
    expect(plan).toContainEqual(expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(owner_id=\?\)$/));
    expect(plan).toContainEqual(expect.stringMatching(/^SEARCH sort_ USING INDEX \S+ \(id=\?\)$/));
    expect(plan.filter((step) => step.startsWith('SCAN app_'))).toEqual([]);
  }
});

it('groups the rows that an index finds', async () => {
  const measures = [{ function: 'sum', column: 'cost' } as const];
  const aggregation = { where: and(ofAda, gt('rank', 1)), groupBy: ['projectId'], measures, limit: 1000 };
  const plan = await planOf(entities.aggregate('tasks', aggregation));
  expect(plan[0]).toMatch(/^SEARCH app_tasks USING INDEX \S+ \(owner_id=\? AND rank>\?\)$/);
});

it('reads a list in mixed directions in the order of an index', async () => {
  const order = [
    { column: 'rank', direction: 'asc' },
    { column: 'ownerId', direction: 'desc' },
    { column: 'id', direction: 'desc' },
  ] as const;
  const plan = await planOf(entities.list('tasks', { where: all, order, after: null, limit: 20 }));
  expect(plan).toEqual([expect.stringMatching(/^SCAN app_tasks USING INDEX app_tasks_/)]);
});

it('looks a row up by a unique key', async () => {
  expect(await planOf(entities.lockByKey('tasks', { slug: 'a' }, ofAda))).toEqual([
    expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(slug=\?\)$/),
  ]);
});

it('looks a row up, changes and deletes it by its id', async () => {
  const condition = { where: ofAda, version: 1 };
  const plans = [
    await planOf(entities.get('tasks', 'a', ofAda)),
    await planOf(entities.update('tasks', 'a', { ...condition, values: { title: 'x' } })),
    await planOf(entities.delete('tasks', 'a', condition)),
  ];
  for (const [first, ...others] of plans) {
    expect(first).toMatch(/^SEARCH app_tasks USING INDEX \S+ \(id=\?\)$/);
    // These rows refer to a deleted row.
    for (const other of others) expect(other).toMatch(/^SEARCH \S+ USING COVERING INDEX/);
  }
  const all = await planOf(entities.deleteAll('tasks', ofAda));
  expect(all.filter((step) => step.startsWith('SCAN'))).toEqual([]);
});

it.for(['asc', 'desc'] as const)(
  'reads a list in the order of an index from where it continues: %s',
  async (direction) => {
    const page = { where: ofAda, direction };
    expect(await planOf(list(['id'], { direction }))).toEqual([expect.stringMatching(/^SCAN app_tasks USING INDEX/)]);
    expect(await planOf(list(['id'], { direction, after: ['a'] }))).toEqual([
      expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(id[<>]\?\)$/),
    ]);
    expect(await planOf(list(['rank', 'id'], { direction, after: [1, 'a'] }))).toEqual([
      expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(\(rank,id\)[<>]\(\?,\?\)\)$/),
    ]);
    expect(await planOf(list(['rank', 'id'], page))).toEqual([
      expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(owner_id=\?\)$/),
    ]);
    expect(await planOf(list(['rank', 'id'], { ...page, after: [1, 'a'] }))).toEqual([
      expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(owner_id=\? AND \(rank,id\)[<>]\(\?,\?\)\)$/),
    ]);
  },
);

it('finds texts by their beginning in any case by an index', async () => {
  const plan = await planOf(list(['id'], { where: istartsWith('slug', 'Ab-1'), limit: 20 }));
  expect(plan.slice(0, 3)).toEqual([
    'MULTI-INDEX OR',
    'INDEX 1',
    expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(slug>\? AND slug<\?\)$/),
  ]);
  expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
});

it('finds related rows by their reference', async () => {
  const related = { column: 'projectId', values: ['a', 'b'], where: all, limitEach: 100 };
  const plan = await planOf(entities.listRelated('tasks', related));
  expect(plan).toEqual([
    expect.stringMatching(/^SEARCH app_tasks USING INDEX \S+ \(id=\?\)$/),
    'CORRELATED LIST SUBQUERY 2',
    expect.stringMatching(/^SEARCH row_ USING COVERING INDEX \S+ \(project_id=\?\)$/),
  ]);
});
