import { toLogger } from '@x/errors';
import { systemClock, type Stores } from '@x/store';
import { patient } from '@x/store-testing';
import type { Patience } from '@x/store/engine';
import { createPostgresDatabase } from '@x/test-support/database';
import { startTcpProxy, type TcpProxy } from '@x/test-support/network';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';
import { expectRefused } from './testing/expect-refused.ts';

it('waits for its database, and warns once', async () => {
  const { stores, proxy, warned } = await open(patient);
  await proxy.cut();
  const starting = stores.migrate();
  await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 30_000 });
  expect(warned[0]).toMatch(
    /^The start waits, for up to 60 s, for the database .* on 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
  );
  await proxy.restore();
  await starting;
  expect(await stores.counters.add('a', 1)).toBe(1);
  expect(warned).toHaveLength(1);
});

it('waits longer for a connection than a request does', async () => {
  const { stores, proxy, warned } = await open({ ...patient, connectMs: 20 });
  proxy.delay(30);
  await stores.migrate();
  expect(warned).toEqual([]);
});

it('gives up when its time is over, and says why it waited', async () => {
  const { stores, proxy, warned } = await open({ ...patient, startMs: 300 });
  await proxy.cut();
  const cause = (await expectRefused(stores.migrate())) as Error;
  expect(cause.message).toMatch(/^The start has waited 0\.3 s for the database .*, in vain: .*ECONNREFUSED/);
  expect(warned).toHaveLength(1);
});

it('waits for the lock to migrate, and warns once', async () => {
  const { stores, client, warned } = await open(patient);
  await client.query(lockMigrations);
  const starting = stores.migrate();
  await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 30_000 });
  expect(warned[0]).toMatch(/^The start waits, for up to 60 s, for the lock to migrate the database /);
  await client.query('SELECT pg_advisory_unlock_all()');
  await starting;
  expect(warned).toHaveLength(1);
});

it('stops waiting for the lock when its time is over', async () => {
  const { stores, client } = await open({ ...patient, startMs: 300 });
  await client.query(lockMigrations);
  const cause = (await expectRefused(stores.migrate())) as Error;
  expect(cause.message).toMatch(/^The start has waited 0\.3 s for the database .*: Other processes migrate it\.$/);
});

it('does not wait where that does not help', async () => {
  const { url } = await open(patient);
  const nowhere = Object.assign(new URL(url), { pathname: '/no_such_database' }).href;
  const stores = createPostgresStores({ url: nowhere, clock: systemClock, patience: patient });
  await expect(stores.migrate()).rejects.toMatchObject({
    name: 'ConfigurationError',
    problems: [expect.stringMatching(/^url: the database no_such_database .* cannot be used: .*does not exist/)],
  });
  await stores.close();
});

it('ends when the stores are closed', async () => {
  const { stores, proxy, warned } = await open(patient);
  await proxy.cut();
  const starting = expectRefused(stores.migrate());
  await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 30_000 });
  await stores.close();
  await starting;
});

const lockMigrations = 'SELECT pg_advisory_lock(7281643905)';

interface Starting {
  /** Stores on an empty database, through the proxy. */
  readonly stores: Stores;
  readonly proxy: TcpProxy;
  readonly url: string;
  /** A connection past the proxy. */
  readonly client: pg.Client;
  /** The warnings of the stores. */
  readonly warned: readonly string[];
}

async function open(patience: Patience): Promise<Starting> {
  const database = await createPostgresDatabase();
  const direct = new URL(database.url);
  const proxy = await startTcpProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
  const url = Object.assign(direct, { hostname: '127.0.0.1', port: String(proxy.port) }).href;
  const client = new pg.Client(database.url);
  await client.connect();
  const warned: string[] = [];
  const logger = { ...toLogger(false), warn: (_: object, line: string) => void warned.push(line) };
  const stores = createPostgresStores({ url, clock: systemClock, patience, logger });
  onTestFinished(async () => {
    await proxy.cut();
    await stores.close();
    await client.end();
    await database.drop();
  });
  return { stores, proxy, url, client, warned };
}
