import type { TransactionStores } from '@x/store';
import { expect, vi } from 'vitest';
import { hangTransaction } from '../hang-transaction.ts';
import { openLimited, type StoreTest } from '../store-test.ts';

const unavailable = { code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: expect.any(Number) } };

/** Describes what becomes of a transaction that takes too long. */
export function describeTransactionLimit(it: StoreTest): void {
  it('rolls back a transaction that takes too long, and delays others no longer', async ({
    database,
    stores,
    clock,
  }) => {
    const limited = await openLimited(database, clock);
    const hanging = await hangTransaction(limited, hangBetweenSteps);
    const waiting = [limited, stores].map((each) => each.counters.add('steps', 10));
    await expect(hanging.outcome).rejects.toMatchObject(unavailable);
    expect((await Promise.all(waiting)).toSorted((a, b) => a - b)).toEqual([10, 20]);
    hanging.release();
    await hanging.isOver;
    expect(await stores.counters.read('steps')).toBe(20);
    expect(await limited.counters.add('steps', 1)).toBe(21);
  });

  it('refuses its later calls, also those in an inner transaction', async ({ database, clock }) => {
    const limited = await openLimited(database, clock);
    let refusals: unknown[] = [];
    const beside: Promise<unknown>[] = [];
    const hanging = await hangTransaction(limited, async (inside, hang) => {
      const refused: unknown[] = [];
      const refuse = async (call: () => Promise<unknown>): Promise<unknown> =>
        refused.push(await call().catch((error: unknown) => error));
      refusals = refused;
      await inside.counters.add('steps', 1);
      await refuse(async () =>
        inside.transaction(async (inner) => {
          await inner.counters.add('steps', 2);
          beside.push(refuse(async () => inside.counters.add('steps', 32)));
          await hang();
          await refuse(async () => inner.counters.add('steps', 4));
          await refuse(async () => inner.counters.read('steps'));
        }),
      );
      await refuse(async () => inside.counters.add('steps', 8));
      await refuse(async () => inside.counters.read('steps'));
      await refuse(async () => inside.transaction(async (inner) => inner.counters.add('steps', 16)));
    });
    await expect(hanging.outcome).rejects.toMatchObject(unavailable);
    // Concurrent work is not affected. It begins again if a busy machine gave it too little of its time.
    const work = async (inside: TransactionStores): Promise<void> => {
      await inside.counters.add('other', 1);
      hanging.release();
      await hanging.isOver;
      expect(await inside.counters.add('other', 1)).toBe(2);
    };
    await vi.waitFor(async () => limited.transaction(work), { timeout: 30_000 });
    await Promise.all(beside);
    expect(refusals).toHaveLength(7);
    for (const refusal of refusals) expect(refusal).toMatchObject(unavailable);
    expect(await limited.counters.read('steps')).toBe(0);
    expect(await limited.counters.read('other')).toBe(2);
  });

  it('waits at a close for a transaction that hangs only as long as it may take, and rolls it back', async ({
    database,
    stores,
    clock,
  }) => {
    const closed = await openLimited(database, clock);
    const hanging = await hangTransaction(closed, hangBetweenSteps);
    // It gets to its step when there is no time left, or a close would wait for one transaction after the other.
    const queued = closed
      .transaction(async (inside) => {
        await inside.counters.add('steps', 1);
        await hanging.isOver;
      })
      .catch((error: unknown) => error);
    await Promise.all([closed.close(), expect(hanging.outcome).rejects.toMatchObject(unavailable)]);
    expect(await queued).toMatchObject(unavailable);
    hanging.release();
    await hanging.isOver;
    expect(await stores.counters.add('steps', 10)).toBe(10);
  });
}

async function hangBetweenSteps(inside: TransactionStores, hang: () => Promise<void>): Promise<void> {
  await inside.counters.add('steps', 1);
  await hang();
  await inside.counters.add('steps', 1);
}
