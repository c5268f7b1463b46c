import type { InheritanceRule, RoleAssignmentStore, UserId } from '@x/store';
import { createSqlStores, type SqlDriver, type SqlValues } from '@x/store-sql';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { query } from './testing/faulty-network.ts';

const clock = new ManualClock();

let database: PostgresDatabase;
let driver: SqlDriver;
let roles: RoleAssignmentStore;
let last: { readonly text: string; readonly values: SqlValues } = { text: '', values: [] };

/**
 * One organization with 200 projects of 100 tasks each, and 2000 members; the boss also has a role on 5000 of the
 * tasks. Most roles are elsewhere.
 */
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
  const stores = createSqlStores({ driver: noting, clock });
  await stores.migrate();
  roles = stores.roleAssignments;
  await query(
    database.url,
    `INSERT INTO access_edges SELECT 'project', 'p' || n, 'org', 'o' FROM generate_series(1, 200) AS n;
    INSERT INTO access_edges SELECT 'task', md5(n::text), 'project', 'p' || (1 + n % 200) FROM generate_series(1, 20000) AS n;
    INSERT INTO access_closure
      SELECT child_type, child_id, parent_type, parent_id, child_type, child_id, 1 FROM access_edges;
    INSERT INTO access_closure
      SELECT low.child_type, low.child_id, high.parent_type, high.parent_id, low.parent_type, low.parent_id, 2
      FROM access_edges AS low JOIN access_edges AS high ON high.child_type = low.parent_type AND high.child_id = low.parent_id;
    INSERT INTO access_role_assignments SELECT 'user:u' || n, 'org', 'o', 'member', NULL, 0 FROM generate_series(1, 2000) AS n;
    INSERT INTO access_role_assignments SELECT 'user:x' || n, 'task', 'x' || n, 'editor', NULL, 0 FROM generate_series(1, 50000) AS n;
    INSERT INTO access_role_assignments VALUES ('user:boss', 'org', 'o', 'owner', NULL, 0);
    INSERT INTO access_role_assignments SELECT 'user:boss', 'task', md5(n::text), 'editor', NULL, 0 FROM generate_series(1, 5000) AS n;
    INSERT INTO access_role_assignments VALUES ('group:g1', 'project', 'p2', 'member', NULL, 0);
    INSERT INTO access_group_closure SELECT 'user', 'm' || n, 'group', 'g' || (n % 10), 'user', 'm' || n, 1
      FROM generate_series(1, 20000) AS n;
    ANALYZE`,
  );
});
afterAll(async () => {
  await driver.close();
  await database.drop();
});

const inheritance: readonly InheritanceRule[] = ['owner', 'member'].flatMap((role) => [
  { parent: { type: 'org', role }, child: { type: 'project', role } },
  { parent: { type: 'project', role }, child: { type: 'task', role: role === 'owner' ? 'editor' : 'viewer' } },
]);

const page = { limit: 20, after: null };

it('a page of resources reads as many rows as it has, by indexes, with any number below the roles', async () => {
  const resources = { userId: 'boss' as UserId, type: 'task', roles: ['editor', 'viewer'], inheritance };
  for (const after of [null, 'e']) {
    const { items } = await roles.listGranted(resources, { ...page, after });
    expect(items).toHaveLength(20);
    // For each resource, the closure row, two edges, and the roles that it is compared with.
    await expectRowsRead(20 * 10);
  }
});

it('a page of users reads as many rows as it has, by indexes, with any number of role holders', async () => {
  const resource = { type: 'task', id: 'c4ca4238a0b923820dcc509a6f75849b' };
  for (const after of [null, 'u5']) {
    const { items } = await roles.listGrantees(
      { resource, roles: ['editor', 'viewer'], inheritance },
      { ...page, after },
    );
    expect(items).toHaveLength(20);
    await expectRowsRead(20 * 10);
  }
});

/** One step of a plan, as Postgres describes it. */
interface Step {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Step[];
}

async function expectRowsRead(most: number): Promise<void> {
  const [row = expect.unreachable()] = await driver.read(`EXPLAIN (ANALYZE, FORMAT JSON) ${last.text}`, last.values);
  const [{ Plan: plan }] = JSON.parse(String(row['QUERY PLAN'])) as readonly [{ readonly Plan: Step }];
  const steps = listSteps(plan).filter((step) => step['Relation Name'] !== undefined);
  expect(steps.map((step) => step['Node Type'])).not.toContain('Seq Scan');
  const read = steps.map(
    (step) => step['Actual Loops'] * (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)),
  );
  expect(steps.length).toBeGreaterThan(3);
  expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(most);
}

function listSteps(step: Step): readonly Step[] {
  return [step, ...(step.Plans ?? []).flatMap(listSteps)];
}
