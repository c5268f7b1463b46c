import type { Clock, SessionId, Stores } from '@x/store';
import { createSqlStores, type SqlDriver } from '@x/store-sql';
import type { Patience } from '@x/store/engine';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase } from '@x/test-support/database';
import { startTcpProxy, type TcpProxy } from '@x/test-support/network';
import pg from 'pg';
import { test as base, type TestAPI } from 'vitest';
import { createPostgresDriver } from '../create-postgres-driver.ts';
import { migrations } from '../migrations/migrations.ts';

/** Stores whose connections pass through a network that a test can break. */
export interface FaultyNetwork extends AsyncDisposable {
  readonly proxy: TcpProxy;
  /** The database through the proxy. */
  readonly url: string;
  /** Stores through the proxy, which are connected and listen. */
  readonly stores: Stores;
  /** The sessions whose revocation {@link stores} have reported. */
  readonly revoked: ReadonlySet<SessionId>;
  /** The driver of {@link stores}, for statements that no store has. */
  readonly driver: SqlDriver;
  /** Another process on the database, past the proxy. */
  readonly other: Stores;
  /** Runs one statement past the proxy and all stores. */
  readonly query: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/**
 * The patience of the tested stores: long enough to reconnect on a busy machine, and short enough that a refusal does
 * not take long.
 */
export const patience: Patience = { waitMs: 4000, connectMs: 3000, startMs: 4000 };

/** The clock of the tested stores, on which no test depends. */
export const clock: Clock = new ManualClock();

/** The fixtures of these tests. Tests of one file share a database, and use counters with different names. */
interface FaultFixtures {
  readonly databaseUrl: string;
  readonly network: FaultyNetwork;
}

/** Vitest's `it` with a network for each test. */
export const it: TestAPI<FaultFixtures> = base.extend<FaultFixtures>({
  databaseUrl: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
    async ({}, use) => {
      const database = await createPostgresDatabase();
      await use(database.url);
      await database.drop();
    },
    { scope: 'file' },
  ],
  network: async ({ databaseUrl }, use) => {
    await using network = await openFaultyNetwork(databaseUrl);
    await use(network);
  },
});

/** Starts a proxy to a database, and returns it with the URL of the database through it. */
export async function startProxyTo(databaseUrl: string): Promise<Pick<FaultyNetwork, 'proxy' | 'url'>> {
  const direct = new URL(databaseUrl);
  const proxy = await startTcpProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
  return { proxy, url };
}

/** Opens stores on a database through a proxy of their own, and brings it to the current schema. */
export async function openFaultyNetwork(databaseUrl: string): Promise<FaultyNetwork> {
  const { proxy, url } = await startProxyTo(databaseUrl);
  const driver = createPostgresDriver({ url, clock, maxConnections: 10, migrations, patience, logger: false });
  const stores = createSqlStores({ driver, clock });
  const past = { url: databaseUrl, clock, maxConnections: 2, migrations, patience: patient };
  const other = createSqlStores({ driver: createPostgresDriver(past), clock });
  const revoked = new Set<SessionId>();
  stores.onRevoked(({ sessionId }) => void revoked.add(sessionId));
  await other.migrate();
  await stores.ping();
  return {
    proxy,
    url,
    stores,
    revoked,
    driver,
    other,
    query: (text) => query(databaseUrl, text),
    async [Symbol.asyncDispose]() {
      await proxy.cut();
      await Promise.all([stores.close(), other.close()]);
    },
  };
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
