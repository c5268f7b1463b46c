import type { EntityStore } from '@x/store';
import { all, and, eq, gt, isIn, istartsWith, related } from '@x/store/where';
import { createSqlStores, type SqlDriver, type SqlValues } from '@x/store-sql';
import { patient, sampleEntities } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { query } from './testing/faulty-network.ts';

const clock = new ManualClock();

let database: PostgresDatabase;
let driver: SqlDriver;
let entities: EntityStore;
let last: { readonly text: string; readonly values: SqlValues } = { text: '', values: [] };

beforeAll(async () => {
  database = await createPostgresDatabase();
  driver = createPostgresDriver({ url: database.url, clock, maxConnections: 2, migrations, patience: patient });
  const noting: SqlDriver = {
    ...driver,
    query: async (text, values, options) => {
      last = { text, values };
      return driver.query(text, values, options);
    },
  };
  const stores = createSqlStores({ driver: noting, clock, entities: sampleEntities });
  await stores.migrate();
  entities = stores.entities;
  await query(
    database.url,
    `INSERT INTO app_projects (id, name, _version) SELECT 'p' || n, '', 1 FROM generate_series(1, 500) AS n;
    INSERT INTO app_tasks (id, project_id, owner_id, rank, title, _version)
      SELECT md5(n::text), 'p' || n % 500, 'owner' || n % 50, n, repeat('x', 50), 1 FROM generate_series(1, 20000) AS n
      WHERE n % 500 > 0;
    ANALYZE`,
  );
});
afterAll(async () => {
  await driver.close();
  await database.drop();
});

/** Settings under which Postgres prefers another plan, if there is one. */
const settings: readonly Readonly<Record<string, string>>[] = [
  {},
  { enable_nestloop: 'off' },
  { enable_nestloop: 'off', enable_memoize: 'off', enable_material: 'off' },
  { enable_incremental_sort: 'off', enable_sort: 'off' },
  { enable_indexscan: 'off', enable_indexonlyscan: 'off', enable_bitmapscan: 'off' },
  {
    ...{ parallel_setup_cost: '0', parallel_tuple_cost: '0', min_parallel_table_scan_size: '0' },
    ...{ min_parallel_index_scan_size: '0', debug_parallel_query: 'on' },
  },
  { plan_cache_mode: 'force_generic_plan' },
];

describe.each(settings)('related rows with %o', (setting) => {
  it('come in the order of the rows that they are related to, and by id', async () => {
    const values = Array.from({ length: 60 }, (_, index) => `p${((index * 7919) % 499) + 1}`);
    await entities.listRelated('tasks', { column: 'projectId', values, where: gt('rank', 100), limitEach: 20 });
    const found = await inSession(setting, last.text, last.values);
    const positions = found.map((row) => values.indexOf(String(row['projectId'])));
    expect(found).toHaveLength(60 * 20);
    const isInOrder = found.every((row, index) => {
      const [position = 0, before = 0] = [positions[index], positions[index - 1]];
      return (
        index === 0 ||
        position > before ||
        (position === before && String(found[index - 1]?.['id']) < String(row['id']))
      );
    });
    expect(isInOrder).toBe(true);
  });
});

describe('the plan of a list', () => {
  it('of related rows reads them by the index of their reference, and sorts only those of one', async () => {
    await entities.listRelated('tasks', { column: 'projectId', values: ['p1', 'p2'], where: all, limitEach: 20 });
    const plan = await explain();
    expect(plan).toMatch(/^Nested Loop/);
    expect(plan).toMatch(/Index Scan using app_tasks_\S+ on app_tasks/);
    expect(plan).toMatch(/Index Cond: \(project_id = each_._text\)/);
    expect(plan.match(/Sort/g)).toBeNull();
  });

  it('finds rows that refer to a row by the index of the reference', async () => {
    const where = related('projectId', { entity: 'projects', readable: all, where: isIn('id', ['p1', 'p2']) });
    const order = [{ column: 'rank', direction: 'asc' } as const, { column: 'id', direction: 'asc' } as const];
    await entities.list('tasks', { where, order, after: null, limit: 20 });
    const plan = await explain();
    expect(plan).toMatch(/Index Cond: \(project_id = app_projects.id\)/);
    expect(plan).not.toMatch(/Seq Scan on app_tasks/);
  });

  it('groups the rows that an index finds', async () => {
    const measures = [{ function: 'sum', column: 'cost' } as const];
    const where = and(eq('ownerId', 'owner1'), gt('rank', 19_000));
    await entities.aggregate('tasks', { where, groupBy: ['projectId'], measures, limit: 1000 });
    expect(await explain()).toMatch(/Index Cond: \(\(owner_id = 'owner1'::text\) AND \(rank > '19000'::bigint\)\)/);
  });

  it('finds texts by their beginning in any case by an index', async () => {
    const order = [{ column: 'id', direction: 'asc' } as const];
    await entities.list('tasks', { where: istartsWith('slug', 'Ab-1'), order, after: null, limit: 20 });
    const plan = await explain();
    expect(plan).toMatch(/BitmapOr/);
    expect(plan).toMatch(/Index Cond: \(\(slug >= 'ab-1'::text\) AND \(slug < 'ab-2'::text\)\)/);
  });

  it('reads rows in mixed directions in the order of an index', async () => {
    const order = [
      { column: 'rank', direction: 'asc' },
      { column: 'ownerId', direction: 'desc' },
      { column: 'id', direction: 'desc' },
    ] as const;
    await entities.list('tasks', { where: all, order, after: null, limit: 20 });
    const plan = await explain();
    expect(plan).toMatch(/^Limit.*\n\s*->\s*Index Scan using/);
    expect(plan).not.toMatch(/Sort/);
  });

  it('reads rows in the order of an index from where it continues', async () => {
    const order = ['rank', 'id'].map((column) => ({ column, direction: 'asc' }) as const);
    for (const after of [null, [1000, 'a']]) {
      await entities.list('tasks', { where: eq('ownerId', 'owner1'), order, after, limit: 20 });
      const plan = await explain();
      expect(plan).toMatch(/^Limit.*\n\s*->\s*Index Scan using/);
      expect(plan).not.toMatch(/Sort/);
    }
  });
});

async function explain(): Promise<string> {
  const rows = await driver.read(`EXPLAIN ${last.text}`, last.values);
  return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
}

async function inSession(setting: Readonly<Record<string, string>>, text: string, values: SqlValues) {
  return driver.transaction(async (inside) => {
    for (const [name, value] of Object.entries(setting)) await inside.read(`SET LOCAL ${name} = ${value}`, []);
    // The text is another one, so no plan of it is cached.
    return inside.read(`${text} -- ${JSON.stringify(setting)}`, values);
  });
}
