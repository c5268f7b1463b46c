import { systemClock, type Stores } from '@x/store';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { startTcpProxy, type TcpProxy } from '@x/test-support/network';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { patience, query } from './testing/faulty-network.ts';

let database: PostgresDatabase;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(() => database.drop());

describe.concurrent('stores on several hosts', () => {
  it('use a host that takes writes, and another one once that is lost', async () => {
    await using several = await openSeveral(database.url);
    const { stores, proxies } = several;
    const name = crypto.randomUUID();
    await Promise.all(Array.from({ length: 20 }, () => stores.counters.add(name, 1)));
    const [used, other] = await findUsed(proxies);
    await used.cut();
    await vi.waitFor(() => stores.counters.add(name, 1), { timeout: 30_000 });
    await Promise.all(Array.from({ length: 20 }, () => stores.counters.add(name, 1)));
    expect(await stores.counters.read(name)).toBeGreaterThanOrEqual(41);
    await other.cut();
    await expectRefused(stores.counters.read(name));
    await used.restore();
    await vi.waitFor(() => stores.transaction((inside) => inside.counters.read(name)), { timeout: 30_000 });
  });

  it('refuse calls while all hosts are silent, and find the one that answers first', async () => {
    await using several = await openSeveral(database.url);
    const { stores, proxies } = several;
    for (const proxy of proxies) proxy.stall();
    await Promise.all(Array.from({ length: 10 }, () => expectRefused(stores.counters.read('a'))));
    await expectRefused(stores.transaction((inside) => inside.counters.read('a')));
    await proxies[1].restore();
    await vi.waitFor(() => stores.counters.read('a'), { timeout: 30_000 });
    expect(proxies[1].openConnections).toBeGreaterThan(0);
  });

  it('listen for revocations on another host once the one that they listened on is lost', async () => {
    await using several = await openSeveral(database.url);
    const { stores, proxies } = several;
    stores.onRevoked(() => undefined);
    await stores.ping();
    const [lost, other] = await findUsed(proxies);
    await lost.cut();
    await vi.waitFor(() => expect(other.openConnections).toBeGreaterThan(0), { timeout: 30_000 });
  });
});

describe('a database that takes no writes', () => {
  it('is refused on all hosts, with the reason of each', async () => {
    await using several = await openSeveral(database.url);
    const { stores, proxies } = several;
    await setReadOnly(true);
    for (const proxy of proxies) proxy.killConnections();
    await expectRefused(stores.ping());
    const cause = (await expectRefused(stores.counters.read('a'))) as Error;
    expect(cause.message).toMatch(
      /cannot be used: .*ECONNREFUSED.*, The database is read-only\., The database is read/,
    );
    await expectRefused(stores.migrate());
    await setReadOnly(false);
    await vi.waitFor(() => stores.ping(), { timeout: 30_000 });
  });
});

/** Makes new connections read-only, or not. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  await query(
    database.url,
    `BEGIN READ WRITE; DO $$ BEGIN EXECUTE format(
      'ALTER DATABASE %I SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}', current_database());
    END $$; COMMIT`,
  );
}

type Proxies = readonly [TcpProxy, TcpProxy];

/**
 * Waits until all connections lead through one proxy, and returns that first. On a busy machine, either may answer
 * first.
 */
function findUsed(proxies: Proxies): Promise<Proxies> {
  return vi.waitFor(
    () => {
      const [one, other] = proxies;
      const [used, unused] = one.openConnections > 0 ? [one, other] : [other, one];
      expect([used.openConnections > 0, unused.openConnections]).toEqual([true, 0]);
      return [used, unused] as const;
    },
    { timeout: 30_000 },
  );
}

interface SeveralHosts extends AsyncDisposable {
  /** The proxies of the hosts that the URL names, after a host without a server. */
  readonly proxies: Proxies;
  readonly stores: Stores;
}

async function openSeveral(databaseUrl: string): Promise<SeveralHosts> {
  const direct = new URL(databaseUrl);
  const target = { host: direct.hostname, port: Number(direct.port || 5432) };
  const proxies = [await startTcpProxy(target), await startTcpProxy(target)] as const;
  const hosts = ['127.0.0.1:1', ...proxies.map(({ port }) => `127.0.0.1:${port}`)].join(',');
  const url = databaseUrl.replace(direct.host, hosts);
  const stores = createPostgresStores({ url, clock: systemClock, maxConnections: 4, patience });
  await stores.migrate();
  return {
    proxies,
    stores,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await Promise.all(proxies.map((proxy) => proxy.cut()));
    },
  };
}
