import { expect } from 'vitest';
import { expectServes } from './testing/expect-recovery.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { type FaultyNetwork, it, patience } from './testing/faulty-network.ts';

it('answers every call within its patience while the network drops all packets', async ({ network }) => {
  await expectServes(network.stores);
  network.proxy.stall();
  await expectRefusedInTime(network);
});

it('answers every call within its patience while the network delays packets by more than that', async ({ network }) => {
  await expectServes(network.stores);
  network.proxy.delay(2 * patience.waitMs);
  await expectRefusedInTime(network);
});

/** Sends more calls of each kind than there are connections. */
async function expectRefusedInTime({ driver, stores }: FaultyNetwork): Promise<void> {
  const callers = Array.from({ length: 30 }, (_, index) => `caller ${index}`);
  const sentAt = performance.now();
  const calls = callers.flatMap((caller) => [
    driver.query('SELECT 1 AS one', [], { mayScan: true, maxRows: 1, caller }),
    driver.query('SELECT 1 AS one', [], { mayScan: false, maxRows: 1, caller }),
    stores.counters.read(caller),
    stores.transaction((inside) => inside.counters.add(caller, 1)),
  ]);
  await Promise.all(calls.map(expectRefused));
  expect(performance.now() - sentAt).toBeLessThan(1.1 * patience.waitMs);
}
