import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SqlDriver } from '@x/store-sql';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { openFaultyNetwork, patience, startProxyTo } from './testing/faulty-network.ts';

let database: PostgresDatabase;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(() => database.drop());

describe('a close while the database is silent', () => {
  it('waits for nothing if no call is in flight, and leaves no socket behind', async () => {
    // The proxy is that of this test, because other connections through it would be opened again meanwhile.
    const { proxy, url } = await startProxyTo(database.url);
    onTestFinished(() => proxy.cut());
    const before = openSockets();
    const driver = await openDriver(url);
    proxy.forgetConnections();
    await driver.close();
    // Sockets of the proxy stay, as no connection was ended. Sockets of earlier tests in this thread may close
    // meanwhile.
    await vi.waitFor(() => expect(openSockets()).toBeLessThanOrEqual(before + 2 * 2), {
      timeout: 30_000,
      interval: 10,
    });
  });

  it('ends at its limit, and refuses the calls in flight', async () => {
    await using network = await openFaultyNetwork(database.url);
    const driver = await openDriver(network.url);
    network.proxy.stall();
    const refused = [
      driver.read('SELECT 1', []),
      driver.transaction((inside) => inside.read('SELECT 1', [])),
      driver.migrate(),
    ].map(expectRefused);
    await driver.close();
    await Promise.all(refused);
    await expect(driver.read('SELECT 1', [])).rejects.toThrow(TypeError);
  });
});

const limitMs = 300;

/** Opens a driver that listens, and has one connection for statements. */
async function openDriver(url: string): Promise<SqlDriver> {
  const driver = createPostgresDriver({
    url,
    clock: { now: () => new Date(0) },
    maxConnections: 10,
    migrations,
    limitMs,
    patience,
  });
  driver.subscribe?.(() => undefined);
  await driver.migrate();
  await driver.ping();
  return driver;
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
