import type { Stores, TransactionStores } from '@x/store';
import { expect, vi } from 'vitest';
import { whileOpen } from '../in-transaction.ts';
import { patient, type StoreTest } from '../store-test.ts';

/** Describes what an open transaction means to other writers. */
export function describeTransactionWaiting(it: StoreTest): void {
  it.holding(12)('lets writers wait for an open transaction and then succeed', async ({ stores, processes }) => {
    const waiting = await whileOpen(stores, addOnce, async () => {
      const attempts = [stores, ...processes].flatMap(addTwice);
      expect(await processes[0].counters.read('contended')).toBe(0);
      return { sums: Promise.all(attempts) };
    });
    const sums = await waiting.sums;
    expect(sums.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(await stores.counters.read('contended')).toBe(11);
  });

  it.holding(6)(
    'refuses a writer whose patience ends with retryAfter, and it has written nothing',
    async ({ database, clock, stores, processes }) => {
      // The limits of a server are shares of it, and its refusal has to arrive before the caller gives up.
      const patience = { ...patient, waitMs: 400 };
      const impatient = [await database.open(clock, { patience }), await database.open(clock, { patience })];
      // The first call opens connections, which may take longer than that.
      for (const each of impatient) await vi.waitFor(async () => each.counters.read('contended'), { timeout: 30_000 });
      await whileOpen(stores, addOnce, async () => {
        const outcomes = await Promise.allSettled(impatient.flatMap(addTwice));
        for (const outcome of outcomes) expect(outcome).toMatchObject(refusal);
      });
      expect(await stores.counters.read('contended')).toBe(1);
      expect(await processes[0].counters.add('contended', 1)).toBe(2);
    },
  );
}

const refusal = {
  status: 'rejected',
  reason: { code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: expect.any(Number) } },
};

const addOnce = async (inside: TransactionStores): Promise<number> => inside.counters.add('contended', 1);

/** Starts to add to the contended counter, by a step and in a transaction. */
function addTwice(writer: Stores): readonly Promise<number>[] {
  return [writer.counters.add('contended', 1), writer.transaction(addOnce)];
}
