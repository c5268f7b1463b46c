import { expect } from 'vitest';
import type { Stores } from '../stores.ts';
import type { StoreTest } from './store-test.ts';

/** Describes what an open transaction means to other writers. Its second test takes 2 real seconds. */
export function describeTransactionWaiting(test: StoreTest): void {
  test('writers that meet an open transaction wait for it and then succeed', async ({ stores, processes }) => {
    const waiting = await whileOpen(stores, async () => {
      const attempts = [stores, ...processes].flatMap(addTwice);
      expect(await processes[0].counters.read('contended')).toBe(0);
      return { sums: Promise.all(attempts) };
    });
    const sums = await waiting.sums;
    expect(sums.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(await stores.counters.read('contended')).toBe(11);
  });

  test(
    'a writer that waits more than 2 s is told to come back, and wrote nothing',
    { timeout: 8000 },
    async ({ stores, processes }) => {
      await whileOpen(stores, async () => {
        let answered = 0;
        const count = (): void => void (answered += 1);
        const attempts = [stores, processes[0]].flatMap(addTwice);
        const outcomes = Promise.allSettled(attempts.map((attempt) => attempt.finally(count)));
        await pause(1800);
        expect(answered).toBe(0);
        await Promise.race([outcomes, pause(3000)]);
        expect(answered).toBe(attempts.length);
        for (const outcome of await outcomes) expect(outcome).toMatchObject(refusal);
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

/** Starts to add to the contended counter, by a step and in a transaction. */
function addTwice(writer: Stores): readonly Promise<number>[] {
  return [
    writer.counters.add('contended', 1),
    writer.transaction(async (inside) => inside.counters.add('contended', 1)),
  ];
}

/** Runs `check` while a transaction that has added to the contended counter is open, which commits then. */
async function whileOpen<Outcome>(stores: Stores, check: () => Promise<Outcome>): Promise<Outcome> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = stores.transaction(async (inside) => {
    await inside.counters.add('contended', 1);
    entered.resolve();
    await released.promise;
  });
  await Promise.race([entered.promise, done]);
  try {
    return await check();
  } finally {
    released.resolve();
    await done;
  }
}

async function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
