import type { ConsumeOutcome, Stores } from '@x/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { expectReceivesRevocations, expectRecovery, expectServes } from './testing/expect-recovery.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { clock, type FaultyNetwork, it, patience } from './testing/faulty-network.ts';
import { beginTransaction } from './testing/open-transactions.ts';

// These tests wait, and then reconnect all at once. Too many at a time would keep two cores busy for seconds.
vi.setConfig({ maxConcurrency: 10 });

interface Fault {
  readonly name: string;
  begin(network: FaultyNetwork): Promise<void> | void;
  end(network: FaultyNetwork): Promise<void> | void;
}

/** Faults that last until they are ended. */
const faults: readonly Fault[] = [
  { name: 'is cut', begin: ({ proxy }) => proxy.cut(), end: ({ proxy }) => proxy.restore() },
  { name: 'is silent', begin: ({ proxy }) => proxy.stall(), end: ({ proxy }) => proxy.restore() },
  { name: 'answers too late', begin: ({ proxy }) => proxy.delay(patience.waitMs), end: ({ proxy }) => proxy.delay(0) },
  {
    name: 'was cut, and is silent to new connections',
    async begin({ proxy }) {
      proxy.stall();
      proxy.killConnections();
    },
    end: ({ proxy }) => proxy.restore(),
  },
];

describe.concurrent.each(faults)('while the database $name', (fault) => {
  it('refuses every call, and serves all again afterwards', async ({ network }) => {
    const { stores } = network;
    await serveTenAtOnce(network);
    await fault.begin(network);
    const calls = (): readonly Promise<unknown>[] => [
      stores.counters.read('a'),
      stores.counters.add('a', 1),
      stores.transaction(async (inside) => inside.counters.add('a', 1)),
      stores.ping(),
      stores.readServerTime(),
      stores.users.findByLoginEmail('ada@example.com'),
      // More calls than connections.
      ...Array.from({ length: 20 }, async () => stores.counters.read('a')),
    ];
    await Promise.all(calls().map(expectRefused));
    await Promise.all(calls().map(expectRefused));
    await fault.end(network);
    await expectRecovery(network);
  });

  it('refuses the next step of an open transaction, which is rolled back', async ({ network }) => {
    const [before, after] = [crypto.randomUUID(), crypto.randomUUID()];
    const waiting = await beginTransaction(network.stores, (inside) => inside.counters.add(before, 1));
    await fault.begin(network);
    await expectRefused(waiting.goOn((inside) => inside.counters.add(after, 1)));
    await fault.end(network);
    await expectServes(network.stores);
    await expectCounters(network, [before, after], [0, 0]);
  });

  it('refuses a commit, after which all of its steps took effect or none', async ({ network }) => {
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    const waiting = await beginTransaction(network.stores, async (inside) => {
      await inside.counters.add(first, 1);
      await inside.counters.add(second, 1);
    });
    await fault.begin(network);
    await expectRefused(waiting.goOn());
    await fault.end(network);
    await expectServes(network.stores);
    await expectAlike(network, [first, second]);
  });

  it('refuses a step whose time runs out while it runs no statement', async ({ network }) => {
    const name = crypto.randomUUID();
    const step = network.driver.step(async (inside) => {
      await inside.execute('INSERT INTO auth_counters (name, value) VALUES ($1, 1)', [name]);
      await fault.begin(network);
      await new Promise((resolve) => setTimeout(resolve, 1.5 * patience.waitMs));
    });
    await expectRefused(step);
    await fault.end(network);
    await expectServes(network.stores);
    await expectCounters(network, [name], [0]);
  });

  it('refuses the statement during which the fault begins', async ({ network }) => {
    const sleep = `SELECT pg_sleep(10) AS "${crypto.randomUUID()}"`;
    const waiting = expectRefused(network.driver.read(sleep, []));
    await until(async () => (await activityOf(network, sleep)).length > 0);
    await fault.begin(network);
    await waiting;
    await fault.end(network);
    await expectServes(network.stores);
  });
});

describe.concurrent('connections that were closed unnoticed', () => {
  it('fail no call if they were idle, and revocations arrive again', async ({ network }) => {
    await serveTenAtOnce(network);
    network.proxy.killConnections();
    await until(() => network.proxy.openConnections <= 1);
    await expectRecovery(network);
  });

  it('fail the call during which they are lost, in the words of the server, and no later one', async ({ network }) => {
    const sleep = `SELECT pg_sleep(10) AS "${crypto.randomUUID()}"`;
    const running = expectRefused(network.driver.read(sleep, []));
    await expectTerminated(network, sleep);
    await running;
    await expectServes(network.stores);
  });

  it('roll back the transaction that was idle on them', async ({ network }) => {
    const name = crypto.randomUUID();
    const newest = `SELECT 1 AS "${name}"`;
    const undone = network.driver.transaction(async (inside) => {
      await inside.execute('INSERT INTO auth_counters (name, value) VALUES ($1, 1)', [name]);
      await inside.read(newest, []);
      await expectTerminated(network, newest);
      await expectRefused(inside.read(newest, []));
    });
    await expectRefused(undone);
    await expectServes(network.stores);
    await expectCounters(network, [name], [0]);
  });

  it('fail a commit whose response is lost, although it is complete', async ({ network }) => {
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    const waiting = await beginTransaction(network.stores, async (inside) => {
      await inside.counters.add(first, 1);
      await inside.counters.add(second, 1);
    });
    network.proxy.delay(500);
    const committing = expectRefused(waiting.goOn());
    while ((await network.other.counters.read(first)) === 0);
    network.proxy.killConnections();
    network.proxy.delay(0);
    await committing;
    await expectCounters(network, [first, second], [1, 1]);
    await expectServes(network.stores);
  });

  it('lose the response to a consumption with a key, which counts once however often it is repeated', async ({
    network,
  }) => {
    const { stores, other, proxy } = network;
    const [tenantId, idempotencyKey] = [crypto.randomUUID(), crypto.randomUUID()];
    const counter = { tenantId, limit: 'calls', periodStart: new Date(0) };
    const consume = ({ wallets }: Pick<Stores, 'wallets'>): Promise<ConsumeOutcome> => {
      const debits = [{ limit: 'calls', periodStart: new Date(0), amount: 1, max: -1 }];
      return wallets.consume({ tenantId, receiptId: crypto.randomUUID(), idempotencyKey, debits });
    };
    const waiting = await beginTransaction(stores, consume);
    proxy.delay(500);
    const committing = expectRefused(waiting.goOn());
    while ((await other.wallets.readMany([counter]))[0] !== 1);
    proxy.killConnections();
    proxy.delay(0);
    await committing;
    await expectServes(stores);
    expectRepeated(await consume(stores));
    expectRepeated(await stores.transaction(consume));
  });
});

describe.concurrent('connections that are silent for good', () => {
  it('fail the calls that were sent on them, and no later one', async ({ network }) => {
    const { stores, proxy } = network;
    await serveTenAtOnce(network);
    proxy.forgetConnections();
    await expectRefused(stores.counters.read('a'));
    await expectServes(stores);
    await expectReceivesRevocations(network);
  });
});

describe('a connection that becomes ready too late for its caller', () => {
  it('serves the next call', async ({ network }) => {
    const impatient = { url: network.url, clock, migrations, patience: { waitMs: 2000, connectMs: 10_000 } };
    const driver = createPostgresDriver({ ...impatient, maxConnections: 1, logger: false });
    const read = (): Promise<unknown> => driver.read('SELECT 1 AS one', []);
    // A call waits for 1900 ms. A connection is open after three round trips, and ready after a fourth.
    network.proxy.delay(285);
    await expectRefused(read());
    const late = expectRefused(read());
    await sleep(95);
    // Another connection is opened for the waiting call, and is ready once that call has been refused.
    network.proxy.killConnections();
    await late;
    network.proxy.delay(0);
    await vi.waitFor(read, { timeout: 30_000 });
    await driver.close();
  });
});

function expectRepeated(outcome: ConsumeOutcome): void {
  expect(outcome).toMatchObject({ outcome: 'repeated', consumed: [1] });
}

/** Opens ten connections, and leaves them idle. */
async function serveTenAtOnce({ stores }: FaultyNetwork): Promise<void> {
  const opened = await Promise.all(
    Array.from({ length: 10 }, async () => beginTransaction(stores, (inside) => inside.counters.read('a'))),
  );
  await Promise.all(opened.map((transaction) => transaction.goOn()));
}

async function expectCounters({ other }: FaultyNetwork, names: readonly string[], values: readonly number[]) {
  expect(await Promise.all(names.map((name) => other.counters.read(name)))).toEqual(values);
}

async function expectAlike({ other }: FaultyNetwork, [one, two]: readonly [string, string]) {
  expect(await other.counters.read(one)).toBe(await other.counters.read(two));
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Returns the backends whose newest statement has this text. */
function activityOf({ query }: FaultyNetwork, text: string): Promise<readonly unknown[]> {
  return query(`SELECT pid FROM pg_stat_activity WHERE query = '${text}'`);
}

/** Waits for a backend whose newest statement has this text, and ends it. */
async function expectTerminated({ query }: FaultyNetwork, text: string): Promise<void> {
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '${text}'`;
  await until(async () => (await query(terminate)).length > 0);
}
