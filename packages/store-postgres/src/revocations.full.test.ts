import { toLogger } from '@x/errors';
import type { SessionId, Stores, UserId } from '@x/store';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase } from '@x/test-support/database';
import { lookUp } from '@x/test-support/lookup';
import { startTcpProxy, type TcpProxy } from '@x/test-support/network';
import { startPooler, throughPooler } from '@x/test-support/postgres';
import type pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { createPostgresStores, type PostgresStoresOptions } from './create-postgres-stores.ts';
import { patience } from './testing/faulty-network.ts';
import { beginTransaction } from './testing/open-transactions.ts';
import { openAppPool } from './testing/postgres-engine.ts';
import { nextId, sessionOf, userOf } from './testing/sample-accounts.ts';

it('receives revocations that were committed when its connection was killed before the notification', async () => {
  const { proxy, other, received, createSession } = await openListener();
  const id = await createSession();
  proxy.stall();
  await other.sessions.revoke(id);
  await proxy.cut();
  expect(received).toEqual([]);
  await proxy.restore();
  await vi.waitFor(() => expect(received).toEqual([id]), { timeout: 30_000, interval: 5 });
});

it('receives revocations that were committed while its connection was silently dead, or refused', async () => {
  const { proxy, other, received, createSession, warnings } = await openListener();
  const [first, second, third] = [await createSession(), await createSession(), await createSession()];
  proxy.forgetConnections();
  await other.sessions.revoke(first);
  await vi.waitFor(() => expect(received).toEqual([first]), { timeout: 30_000, interval: 5 });
  await proxy.cut();
  await vi.waitFor(() => expect(warnings).toHaveLength(1), { timeout: 30_000 });
  await other.sessions.revoke(second);
  await vi.waitFor(() => expect(received).toEqual([first, second]), { timeout: 30_000, interval: 5 });
  await other.sessions.revoke(third);
  await vi.waitFor(() => expect(received).toEqual([first, second, third]), { timeout: 30_000, interval: 5 });
  expect(warnings).toEqual([expect.stringContaining('while no connection can listen')]);
});

it('receives the revocation of a transaction that commits after one that took a later number', async () => {
  const { proxy, other, received, createSession } = await openListener();
  const [early, late] = [await createSession(), await createSession()];
  await proxy.cut();
  const transaction = await beginTransaction(other, (inside) => inside.sessions.revoke(early));
  await other.sessions.revoke(late);
  await vi.waitFor(() => expect(received).toEqual([late]), { timeout: 30_000, interval: 5 });
  await transaction.goOn();
  await vi.waitFor(() => expect(received).toEqual([late, early]), { timeout: 30_000, interval: 5 });
});

it('polls through a pooler, warns of it once, and skips its own revocations', async () => {
  const server = await lookUp(inject('postgresLookup'), 'No Postgres to test with');
  const pooler = await startPooler({ server, poolSize: 3 });
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  const { other, stores, received, createSession, warnings } = await openOn((url) => ({
    url: throughPooler(pooler, url),
  }));
  const [own, others] = [await createSession(), await createSession()];
  await stores.sessions.revoke(own);
  await other.sessions.revoke(others);
  await vi.waitFor(() => expect(received).toContain(others), { timeout: 30_000, interval: 5 });
  expect(received).toEqual([own, others]);
  expect(warnings).toEqual([expect.stringContaining('no listenUrl is given')]);
});

it('listens at once on listenUrl while everything else goes through a pooler', async () => {
  const server = await lookUp(inject('postgresLookup'), 'No Postgres to test with');
  const pooler = await startPooler({ server, poolSize: 3 });
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  const { other, received, createSession, warnings } = await openOn((url) => ({
    url: throughPooler(pooler, url),
    listenUrl: url,
    pooled: true,
  }));
  const id = await createSession();
  await other.sessions.revoke(id);
  await vi.waitFor(() => expect(received).toEqual([id]), { timeout: 30_000, interval: 5 });
  expect(warnings).toEqual([]);
});

it('listens beside a pool of the app, unless that leads to a pooler', async () => {
  const server = await lookUp(inject('postgresLookup'), 'No Postgres to test with');
  const pooler = await startPooler({ server, poolSize: 3 });
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  for (const toUrl of [(url: string) => url, (url: string) => throughPooler(pooler, url)]) {
    const { other, received, createSession, warnings } = await openOn((url) => {
      const pool = openAppPool({ connectionString: toUrl(url) });
      onTestFinished(() => pool.end());
      return { pool };
    });
    const id = await createSession();
    await other.sessions.revoke(id);
    await vi.waitFor(() => expect(received).toEqual([id]), { timeout: 30_000, interval: 5 });
    expect(warnings).toHaveLength(toUrl(server) === server ? 0 : 1);
  }
});

interface Listener {
  readonly stores: Stores;
  /** Another process on the database. */
  readonly other: Stores;
  /** The sessions whose revocations {@link stores} have published, in order. */
  readonly received: readonly SessionId[];
  readonly warnings: readonly string[];
  readonly createSession: () => Promise<SessionId>;
}

/** Opens stores that listen through a network of their own. */
async function openListener(): Promise<Listener & { readonly proxy: TcpProxy }> {
  const { hostname: host, port } = new URL(await lookUp(inject('postgresLookup'), 'No Postgres to test with'));
  const proxy = await startTcpProxy({ host, port: Number(port || 5432) });
  onTestFinished(() => proxy.cut());
  const listener = await openOn((url) => ({
    url,
    listenUrl: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(proxy.port) }).href,
  }));
  return { proxy, ...listener };
}

async function openOn(
  toOptions: (
    url: string,
  ) => { readonly pool: pg.Pool } | (Pick<PostgresStoresOptions, 'listenUrl' | 'pooled'> & { readonly url: string }),
): Promise<Listener> {
  const database = await createPostgresDatabase();
  const clock = new ManualClock();
  const warnings: string[] = [];
  const received: SessionId[] = [];
  const logger = { ...toLogger(false), warn: (_: object, line: string) => void warnings.push(line) };
  const stores = createPostgresStores({ ...toOptions(database.url), clock, patience, logger });
  const other = createPostgresStores({ url: database.url, clock, patience: patient });
  onTestFinished(async () => {
    await Promise.all([stores.close(), other.close()]);
    await database.drop();
  });
  stores.onRevoked(({ sessionId }) => void received.push(sessionId));
  await other.migrate();
  const userId = nextId() as UserId;
  await other.users.create(userOf(userId));
  const createSession = async (): Promise<SessionId> => {
    const id = nextId() as SessionId;
    await other.sessions.create(sessionOf(id, userId), { maxActive: 100 });
    return id;
  };
  return { stores, other, received, warnings, createSession };
}
