import { describe, expect, vi } from 'vitest';
import { expectRecovery, expectServes } from './testing/expect-recovery.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { type FaultyNetwork, it, patience } from './testing/faulty-network.ts';
import { beginTransaction } from './testing/open-transactions.ts';
import { toTimeouts } from './timeouts.ts';

// These tests only wait.
vi.setConfig({ maxConcurrency: 10 });

describe.concurrent('resources in use', () => {
  it('refuses calls while every connection of this process is in use, and serves them afterwards', async ({
    network,
  }) => {
    const { stores } = network;
    const held = await Promise.all(
      Array.from({ length: 10 }, async (_, index) =>
        beginTransaction(stores, (inside) => inside.counters.add(`held-${index}`, 1)),
      ),
    );
    const refused = [stores.counters.read('a'), stores.ping(), stores.transaction(async () => undefined)];
    await Promise.all(refused.map(expectRefused));
    await Promise.all(held.map((transaction) => transaction.goOn()));
    await expectRecovery(network);
    await expectSum(network, 'held-%', 10);
  });

  it('takes a statement that others left too little time for as one too many', async ({ network: { driver } }) => {
    const others = Array.from({ length: 10 }, () => driver.read('SELECT pg_sleep(1)', []));
    await expectTooBusy(driver.read('SELECT pg_sleep(5)', []));
    await Promise.all(others);
  });

  it('keeps what the server says of a statement that others left little time for', async ({ network }) => {
    const { driver, other, stores } = network;
    await stores.counters.add('late', 1);
    const holder = await beginTransaction(other, (inside) => inside.counters.add('late', 1));
    const others = Array.from({ length: 10 }, () => driver.read('SELECT pg_sleep(1)', []));
    const late = driver.read(`SELECT value FROM auth_counters WHERE name = 'late' FOR UPDATE NOWAIT`, []);
    expectCodes([await expectRefused(late)], ['55P03']);
    await Promise.all([...others, holder.goOn()]);
  });

  it('refuses only the calls that need a locked row, and keeps their connections', async ({ network }) => {
    const { stores, other, driver } = network;
    // Opens the connections, which would take of the time of the calls.
    await expectServes(stores);
    await stores.counters.add('locked', 1);
    const holder = await beginTransaction(other, (inside) => inside.counters.add('locked', 1));
    const opened = await beginTransaction(stores, (inside) => inside.counters.add('locked-beside', 1));
    const refused = [stores.counters.add('locked', 1), opened.goOn((inside) => inside.counters.add('locked', 1))].map(
      expectRefused,
    );
    await stores.counters.add('free', 1);
    expectCodes(await Promise.all(refused), ['57014', '55P03']);
    await holder.goOn();
    await expectServes(stores);
    await expectSum(network, 'locked%', 2);
    expectCodes([await expectRefused(driver.read('SELECT pg_sleep(5)', []))], ['57014']);
  });
});

it('gives every connection limits and durability under any defaults of the database', async ({ network }) => {
  const { driver, stores, query, proxy } = network;
  for (const setting of Object.keys(settings)) {
    await query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting} = ''${bad(setting)}''', current_database()); END $$`,
    );
  }
  proxy.killConnections();
  await expectServes(stores);
  for (const [setting, value] of Object.entries(settings)) {
    await expectSetting(driver, setting, value);
    await driver.transaction((inside) => expectSetting(inside, setting, value));
  }
});

const { statementMs, lockMs } = toTimeouts(patience);

const settings: Readonly<Record<string, string>> = {
  statement_timeout: `${statementMs}ms`,
  lock_timeout: `${lockMs}ms`,
  idle_in_transaction_session_timeout: '10s',
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
};

function bad(setting: string): string {
  if (setting.endsWith('timeout')) return '0';
  return setting === 'synchronous_commit' ? 'off' : 'serializable';
}

async function expectSetting(executor: Pick<FaultyNetwork['driver'], 'read'>, setting: string, value: string) {
  expect(await executor.read(`SHOW ${setting}`, [])).toEqual([{ [setting]: value }]);
}

async function expectSum({ query }: FaultyNetwork, pattern: string, sum: number): Promise<void> {
  const rows = await query(
    `SELECT COALESCE(sum(value), 0)::int AS sum FROM auth_counters WHERE name LIKE '${pattern}'`,
  );
  expect(rows).toEqual([{ sum }]);
}

async function expectTooBusy(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { reason: 'too_busy' } });
}

/** Expects that the server refused the call with one of these SQLSTATEs. */
function expectCodes(causes: readonly unknown[], codes: readonly string[]): void {
  for (const cause of causes) expect(codes).toContain((cause as { readonly code?: string }).code);
}
