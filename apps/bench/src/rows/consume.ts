import { type AccessDefinition, createAccessContext, defineAccess } from '@x/access';
import type { Stores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import pg from 'pg';
import { type Operation, runConcurrently, runInProcessRounds } from '../comparison/in-process.ts';
import { evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import { createDatabases, createTemporaryFolder } from '../servers/create-databases.ts';
import type { Row } from './row.ts';

const walletCounts = { floor: 1000, ours: 1_000_000 } as const;

const atOnce = 32;

const model = {
  entities: { project: { roles: ['manager'] } },
  entitlements: { 'project:export': { roles: ['manager'] } },
  plans: {
    free: { group: 'base', features: [] },
    pro: {
      group: 'base',
      features: ['project:export'],
      limits: { exports: { gates: 'project:export', per: 'year', max: 2 ** 50 } },
    },
  },
} as const;

const definition: AccessDefinition<typeof model> = defineAccess(model);

/**
 * `canAndConsume` on Postgres, 32 at a time, each in a context of its own: of one tenant, against the bare upsert by
 * hand, and of any among a million, against the same among a thousand.
 */
export const consumeRow: Row = {
  name: 'consume-postgres',
  async run(settings) {
    using folder = createTemporaryFolder();
    await using urls = await createDatabases('postgres', { folder: folder.path, cores: settings.cores });
    await using few = await openFilled(urls.floor, walletCounts.floor);
    await using many = await openFilled(urls.ours, walletCounts.ours);
    await using byHand = openByHand(urls.floor);
    const comparisons: readonly (readonly [string, number, Operation, Operation])[] = [
      ['bare upsert', 0.7, byHand.operation, consumeOnStores(few.stores, () => 0)],
      [
        'growth',
        1 / 1.5,
        consumeOnStores(few.stores, anyOf(walletCounts.floor)),
        consumeOnStores(many.stores, anyOf(walletCounts.ours)),
      ],
    ];
    const outcomes: Outcome[] = [];
    for (const [work, atLeast, floor, ours] of comparisons) {
      const sides = { floor: runConcurrently(floor, atOnce), ours: runConcurrently(ours, atOnce) };
      const row = `consume-postgres: ${work}`;
      outcomes.push(evaluateThroughput({ row, atLeast }, await runInProcessRounds(sides, settings)));
    }
    return outcomes;
  },
};

async function openFilled(url: string, tenants: number): Promise<AsyncDisposable & { readonly stores: Stores }> {
  const stores = createPostgresStores({ url, clock: { now: () => new Date() } });
  await stores.migrate();
  await fillWallets(url, tenants);
  return { stores, [Symbol.asyncDispose]: () => stores.close() };
}

/** Jumps over the tenants, so that neighbours on a page of the database do not come in a row. */
function anyOf(tenants: number): () => number {
  let tenant = 0;
  return () => (tenant = (tenant + 7919) % tenants);
}

function consumeOnStores(stores: Stores, next: () => number): Operation {
  return () => {
    const tenant = next();
    return createAccessContext({
      userId: `user-${tenant}`,
      definition,
      roleStore: stores.roleAssignments,
      closureStore: stores.hierarchy,
      subscriptionStore: stores.subscriptions,
      walletStore: stores.wallets,
      orgResolver: () => `tenant-${tenant}`,
      now: () => stores.clock.now(),
    }).canAndConsume('project:export', { type: 'project', id: `project-${tenant}` });
  };
}

const bareUpsert = `
  INSERT INTO access_wallets (tenant_id, limit_name, period_start, consumed) VALUES ($1, $2, $3, 1)
  ON CONFLICT (tenant_id, limit_name, period_start) DO UPDATE SET consumed = access_wallets.consumed + 1
  WHERE access_wallets.consumed < $4
  RETURNING consumed`;

/** Consumes of a tenant whom ours does not touch. */
function openByHand(url: string): AsyncDisposable & { readonly operation: Operation } {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const values = ['by-hand', 'exports', 0, 2 ** 50];
  return {
    operation: async () => (await pool.query({ name: 'upsert', text: bareUpsert, values })).rowCount === 1,
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** Adds so many tenants to a Postgres, each on plan pro with one project, its manager, and something consumed. */
async function fillWallets(url: string, tenants: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("SET synchronous_commit = 'off'");
  for (const insert of inserts) await client.query(insert, [tenants - 1]);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

const inserts: readonly string[] = [
  `INSERT INTO access_role_assignments (holder, resource_type, resource_id, role, granted_at)
    SELECT 'user:user-' || n, 'project', 'project-' || n, 'manager', 0 FROM generate_series(0, $1::int) AS n`,
  `INSERT INTO access_subscriptions (tenant_id, plan_group, plan_name, started_at)
    SELECT 'tenant-' || n, 'base', 'pro', 0 FROM generate_series(0, $1::int) AS n`,
  `INSERT INTO access_wallets (tenant_id, limit_name, period_start, consumed)
    SELECT 'tenant-' || n, 'exports', 0, 1 FROM generate_series(0, $1::int) AS n`,
];
