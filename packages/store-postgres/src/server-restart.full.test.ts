import { type PostgresServer, startPostgres } from '@x/test-support/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { expectRecovery } from './testing/expect-recovery.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { type FaultyNetwork, openFaultyNetwork, query } from './testing/faulty-network.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ durable: true });
});
afterAll(() => server[Symbol.asyncDispose]());

it('keeps every acknowledged write of a server that was killed under load, and no transaction in part', async () => {
  await using network = await openFaultyNetwork(server.url);
  const { stores } = network;
  const writers = Array.from({ length: 12 }, (_, index) => writeUntilRefused(network, index));
  while ((await stores.counters.read('left-0')) < 5);
  await server.kill();
  const acknowledged = await Promise.all(writers);
  await Promise.all([stores.counters.read('a'), stores.counters.add('a', 1), stores.ping()].map(expectRefused));
  await server.start();
  await expectRecovery(network);
  for (const [index, count] of acknowledged.entries()) {
    const [left, right] = [await stores.counters.read(`left-${index}`), await stores.counters.read(`right-${index}`)];
    expect(left).toBe(right);
    // The last write may have been committed although its answer was lost.
    expect([count, count + 1]).toContain(left);
  }
});

it('serves after the server was restarted, and receives revocations', async () => {
  await using network = await openFaultyNetwork(server.url);
  await server.stop();
  await expectRefused(network.stores.counters.read('a'));
  await server.start();
  await expectRecovery(network);
  expect(await network.stores.counters.read('a')).toBe(0);
});

it('refuses calls while the server has no connection left, and serves them once it has', async () => {
  await using network = await openFaultyNetwork(server.url);
  await network.proxy.cut();
  const clients = await takeAllConnections(server.url);
  await network.proxy.restore();
  const causes = await Promise.all(
    [network.stores.counters.read('a'), network.stores.counters.add('a', 1)].map(expectRefused),
  );
  for (const cause of causes) expect(cause).toMatchObject({ cause: { code: '53300' } });
  await Promise.all(clients.map((client) => client.end()));
  await expectRecovery(network);
});

/** Adds to two counters at once again and again; says how often that was acknowledged before it was refused. */
async function writeUntilRefused({ stores }: FaultyNetwork, index: number): Promise<number> {
  for (let count = 0; ; count += 1) {
    const write = stores.transaction(async (inside) => {
      await inside.counters.add(`left-${index}`, 1);
      await inside.counters.add(`right-${index}`, 1);
    });
    const error = await write.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) continue;
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    return count;
  }
}

/** Cuts all connections, and connects until the server has none left. */
async function takeAllConnections(url: string): Promise<readonly pg.Client[]> {
  await query(
    url,
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  const taken: pg.Client[] = [];
  for (;;) {
    const clients = Array.from({ length: 50 }, () => new pg.Client(url));
    const outcomes = await Promise.allSettled(clients.map((client) => client.connect()));
    taken.push(...clients.filter((_, index) => outcomes[index]?.status === 'fulfilled'));
    if (outcomes.some(({ status }) => status === 'rejected')) return taken;
  }
}
