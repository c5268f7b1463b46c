import { expect } from 'vitest';
import type { Stores } from '../stores.ts';
import type { StoreTest } from './store-test.ts';

/** Describes what an open transaction means to other writers. Its second test takes 2 real seconds. */
export function describeTransactionWaiting(test: StoreTest): void {
  test('writers that meet an open transaction wait for it and then succeed', async ({ stores, processes }) => {
    const held = await holdTransaction(stores);
    const waiting = Promise.all(
      [stores, ...processes].flatMap((writer) => [
        writer.counters.add('contended', 1),
        writer.transaction((inside) => inside.counters.add('contended', 1)),
      ]),
    );
    expect(await processes[0].counters.read('contended')).toBe(0);
    held.release();
    await held.done;
    const sums = await waiting;
    expect(sums.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(await stores.counters.read('contended')).toBe(11);
  });

  test(
    'a writer that waits more than 2 s is told to come back, and wrote nothing',
    { timeout: 8000 },
    async ({ stores, processes }) => {
      const held = await holdTransaction(stores);
      try {
        let answered = 0;
        const count = (): void => void (answered += 1);
        const attempts = [stores, processes[0]].flatMap((writer) => [
          writer.counters.add('contended', 1).finally(count),
          writer.transaction((inside) => inside.counters.add('contended', 1)).finally(count),
        ]);
        const outcomes = Promise.allSettled(attempts);
        await pause(1800);
        expect(answered).toBe(0);
        await Promise.race([outcomes, pause(3000)]);
        expect(answered).toBe(attempts.length);
        for (const outcome of await outcomes) expect(outcome).toMatchObject(refusal);
      } finally {
        held.release();
      }
      await held.done;
      expect(await stores.counters.read('contended')).toBe(1);
      expect(await processes[0].counters.add('contended', 1)).toBe(2);
    },
  );
}

const refusal = {
  status: 'rejected',
  reason: { code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: expect.any(Number) } },
};

interface HeldTransaction {
  readonly release: () => void;
  readonly done: Promise<void>;
}

/** Opens a transaction that has added to the contended counter and stays open until it is released. */
async function holdTransaction(stores: Stores): Promise<HeldTransaction> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = stores.transaction(async (inside) => {
    await inside.counters.add('contended', 1);
    entered.resolve();
    await released.promise;
  });
  await Promise.race([entered.promise, done]);
  return { release: released.resolve, done };
}

async function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
