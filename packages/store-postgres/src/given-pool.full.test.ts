import { systemClock } from '@x/store';
import { describeStores, patient } from '@x/store-testing';
import type { Patience } from '@x/store/engine';
import { createPostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { afterAll, expect, it, vi } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';
import { patience as shortPatience, startProxyTo } from './testing/faulty-network.ts';
import { createPostgresEngine, dropDatabases, openAppPool } from './testing/postgres-engine.ts';

describeStores('postgres, on a pool of the app,', createPostgresEngine({ givesPool: true }), {
  only: ['sql'],
});
afterAll(dropDatabases);

/** Opens migrated stores on a pool of one connection. */
async function openOnPool(patience: Patience = patient): Promise<{
  readonly pool: pg.Pool;
  readonly stores: ReturnType<typeof createPostgresStores>;
  readonly drop: () => Promise<void>;
}> {
  const database = await createPostgresDatabase();
  const pool = openAppPool({ connectionString: database.url, max: 1, statement_timeout: 7000 });
  const stores = createPostgresStores({ pool, clock: systemClock, patience });
  await stores.migrate();
  return {
    pool,
    stores,
    async drop() {
      await stores.close();
      await pool.end();
      await database.drop();
    },
  };
}

it('leaves the session of a connection of the app unchanged, and its pool open', async () => {
  const { pool, stores, drop } = await openOnPool();
  const before = await pool.connect();
  const listeners = before.listenerCount('error');
  before.release();
  await stores.counters.add('steps', 1);
  await stores.transaction((tx) => tx.counters.add('steps', 1));
  await stores.transaction(async ({ sql }) => sql`SELECT nothing`).catch(() => undefined);
  await stores.close();
  const client = await pool.connect();
  expect(client).toBe(before);
  expect(client.listenerCount('error')).toBe(listeners);
  const { rows } = await client.query(`SELECT current_setting('statement_timeout') AS limit,
    (SELECT COUNT(*)::int FROM pg_prepared_statements) AS prepared,
    (SELECT COUNT(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
    (SELECT value::int FROM auth_counters WHERE name = 'steps') AS steps`);
  expect(rows).toEqual([{ limit: '7s', prepared: 0, locks: 0, steps: 2 }]);
  client.release();
  expect(pool.listenerCount('remove')).toBe(0);
  await drop();
});

it('waits for the app while that uses all connections, but not for long', async () => {
  const { pool, stores, drop } = await openOnPool(shortPatience);
  const client = await pool.connect();
  const waiting = stores.counters.add('steps', 1);
  client.release();
  expect(await waiting).toBe(1);
  const kept = await pool.connect();
  await expect(stores.counters.add('steps', 1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  kept.release();
  expect(await stores.counters.add('steps', 1)).toBe(2);
  await drop();
});

it('opens connections beside the pool with all of its options', async () => {
  const database = await createPostgresDatabase();
  const pool = openAppPool({ connectionString: database.url, max: 1, fallback_application_name: 'shop' });
  const stores = createPostgresStores({ pool, clock: systemClock, patience: patient });
  stores.onRevoked(() => undefined);
  await stores.migrate();
  const listOthers = `SELECT application_name FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  await vi.waitFor(async () => expect((await pool.query(listOthers)).rows).toEqual([{ application_name: 'shop' }]), {
    timeout: 30_000,
  });
  await stores.close();
  await pool.end();
  await database.drop();
});

it('survives the loss of a connection of the app', async () => {
  const { stores, drop } = await openOnPool();
  const failing = stores.transaction(({ sql }) => sql`SELECT pg_terminate_backend(pg_backend_pid())`);
  await expect(failing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await stores.counters.add('steps', 1)).toBe(1);
  await drop();
});

it('refuses a transaction that the server does not begin in time', async () => {
  const database = await createPostgresDatabase();
  const { proxy, url } = await startProxyTo(database.url);
  const pool = openAppPool({ connectionString: url, max: 1 });
  const stores = createPostgresStores({ pool, clock: systemClock, patience: shortPatience });
  await stores.migrate();
  await stores.counters.add('steps', 1);
  proxy.stall();
  const refused = stores.transaction((tx) => tx.counters.add('steps', 1));
  await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await proxy.cut();
  await stores.close();
  await pool.end();
  await database.drop();
});

it('needs a URL or a pool of pg', () => {
  const create = createPostgresStores as (options: object) => unknown;
  const clock = systemClock;
  expect(() => create({ clock })).toThrow('url, pool: the stores need one of them.');
  const pool = new pg.Pool();
  expect(() => create({ clock, url: 'postgres://a/b', pool })).toThrow('url, pool: the stores need one of them.');
  expect(() => create({ clock, pool: { connect: async () => undefined } })).toThrow('must be a Pool of pg');
});
