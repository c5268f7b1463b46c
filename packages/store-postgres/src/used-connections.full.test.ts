import { systemClock } from '@x/store';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

describe.each(['a direct connection', 'a pooler', 'a pool of the app'])('on %s, statements of the app', (route) => {
  it('leave the session of the connection unchanged', async () => {
    await using opened = await openOnOne(route);
    const { stores } = opened;
    const before = await readSession(stores);
    await stores.transaction(async ({ sql }) => {
      await sql`SET statement_timeout = 0`;
      await sql`SET search_path = pg_catalog`;
      await sql`SELECT set_config('app.tenant', 't1', false), pg_advisory_lock(7)`;
      await sql`CREATE TEMP TABLE scratch (id TEXT)`;
    });
    expect(await readSession(stores)).toEqual(before);
    const failing = stores.transaction(async ({ sql }) => {
      await sql`SELECT pg_advisory_lock(7)`;
      await sql`SELECT nothing`;
    });
    await expect(failing).rejects.toMatchObject({ code: '42703' });
    expect(await readSession(stores)).toEqual(before);
    expect(await stores.counters.add('steps', 1)).toBe(1);
  });

  it('that end the transaction on the connection of the driver fail it', async () => {
    await using opened = await openOnOne(route);
    const ended = opened.stores.transaction(async ({ raw, counters }) => {
      await counters.add('steps', 1);
      await (raw as pg.PoolClient).query('ROLLBACK');
    });
    await expect(ended).rejects.toThrow(TypeError);
    expect(await opened.stores.counters.read('steps')).toBe(0);
  });

  it('need not be sent by a transaction that has asked for that connection', async () => {
    await using opened = await openOnOne(route);
    await opened.stores.transaction(async (tx) => void tx.raw);
    await opened.stores.transaction(async (tx) => void (tx.raw, await tx.counters.add('steps', 1)));
    expect(await opened.stores.counters.read('steps')).toBe(1);
  });
});

interface OpenedOnOne extends AsyncDisposable {
  readonly stores: ReturnType<typeof createPostgresStores>;
}

/** Opens migrated stores that have one connection. */
async function openOnOne(route: string): Promise<OpenedOnOne> {
  const database = await createPostgresDatabase();
  const { url } = database;
  const common = { clock: systemClock, patience: patient };
  const pool = new pg.Pool({ connectionString: url, max: 1 }).on('error', () => undefined);
  const stores =
    route === 'a pool of the app'
      ? createPostgresStores({ ...common, pool })
      : createPostgresStores({ ...common, url, maxConnections: 1, pooled: route === 'a pooler' });
  await stores.migrate();
  return {
    stores,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await pool.end();
      await database.drop();
    },
  };
}

/** Reads the settings and locks of the connection that a statement gets. */
async function readSession(stores: OpenedOnOne['stores']): Promise<unknown> {
  return stores.transaction(
    ({ sql }) => sql`SELECT current_setting('statement_timeout') AS timeout, current_setting('search_path') AS path,
      COALESCE(current_setting('app.tenant', true), '') AS tenant, to_regclass('pg_temp.scratch') AS scratch,
      (SELECT COUNT(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`,
  );
}
