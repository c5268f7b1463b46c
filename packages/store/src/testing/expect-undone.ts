import { expect } from 'vitest';
import type { TransactionStores } from '../stores.ts';

/** Runs work in a transaction that throws. */
export async function expectUndone(
  stores: TransactionStores,
  work: (inside: TransactionStores) => Promise<unknown>,
): Promise<void> {
  const failing = stores.transaction(async (inside) => {
    await work(inside);
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
}
