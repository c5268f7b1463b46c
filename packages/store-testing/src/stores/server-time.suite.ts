import { describe, expect } from 'vitest';
import { ManualClock } from '../clock.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how stores read the clock of their database's server, which is assumed to run on this machine. */
export function describeServerTime(it: StoreTest): void {
  describe('the time of the server', () => {
    it.for(['2001-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'])(
      'is the real one or null, although the clock of the stores says %s',
      async (moment, { database }) => {
        const stores = await database.open(new ManualClock(moment));
        const before = realTime();
        const serverTime = (await stores.readServerTime())?.getTime() ?? before;
        expect(serverTime).toBeGreaterThanOrEqual(before - maxDifferenceMs);
        expect(serverTime).toBeLessThanOrEqual(realTime() + maxDifferenceMs);
      },
    );

    it.holding(2)('can be read while a transaction is open', async ({ stores }) => {
      await stores.transaction(async (inside) => {
        await inside.counters.add('steps', 1);
        const first = await stores.readServerTime();
        // It goes on meanwhile.
        if (first) await expect.poll(async () => stores.readServerTime()).not.toEqual(first);
        else expect(await stores.readServerTime()).toBeNull();
      });
    });
  });
}

/** Far more than a database on this machine is off by, far less than the clocks of the tests are. */
const maxDifferenceMs = 5000;

// oxlint-disable-next-line house/no-ambient-clock -- the server's clock is compared with this machine's
const realTime = (): number => Date.now();
