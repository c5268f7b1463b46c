import type { Stores, TransactionStores } from '@x/store';
import { expect } from 'vitest';

/** Runs work in a transaction that throws. */
export async function expectRolledBack(
  stores: TransactionStores,
  work: (inside: TransactionStores) => Promise<unknown>,
): Promise<void> {
  const failing = stores.transaction(async (inside) => {
    await work(inside);
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
}

/** Runs `check` while a transaction that has taken a step is open, which commits then. */
export async function whileOpen<Outcome>(
  stores: Stores,
  step: (inside: TransactionStores) => Promise<unknown>,
  check: () => Promise<Outcome>,
): Promise<Outcome> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = stores.transaction(async (inside) => {
    await step(inside);
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
