import { describe } from 'vitest';
import { expectRecovery } from './testing/expect-recovery.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { type FaultyNetwork, it } from './testing/faulty-network.ts';

describe('a database that became read-only, as after a failover', () => {
  it('is served again once it is writable, without a connection from before', async ({ network }) => {
    const { stores } = network;
    await setReadOnly(network, true);
    // A failover cuts connections.
    network.proxy.killConnections();
    const calls = [stores.counters.read('a'), stores.counters.add('a', 1), stores.ping(), stores.readServerTime()];
    await Promise.all(calls.map(expectRefused));
    await setReadOnly(network, false);
    await expectRecovery(network);
  });

  it('fails a ping on a connection from before, which is then closed', async ({ network }) => {
    const { stores, driver } = network;
    await driver.execute('SET default_transaction_read_only = on', []);
    await stores.counters.read('a');
    await expectRefused(stores.ping());
    await stores.ping();
  });

  it('refuses writes on connections from before, which are then closed', async ({ network }) => {
    const { stores, driver } = network;
    await driver.execute('SET default_transaction_read_only = on', []);
    await expectRefused(stores.counters.add('a', 1));
    await stores.counters.add('a', 1);
    await driver.execute('SET default_transaction_read_only = on', []);
    await expectRefused(stores.transaction(async (inside) => inside.counters.add('a', 1)));
    await stores.counters.add('a', 1);
    await expectRecovery(network);
  });
});

async function setReadOnly({ query }: FaultyNetwork, isReadOnly: boolean): Promise<void> {
  await query(`BEGIN READ WRITE; DO $$ BEGIN EXECUTE format(
    'ALTER DATABASE %I SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}', current_database()); END $$; COMMIT`);
}
