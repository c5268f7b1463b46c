import type { Stores, TransactionStores } from '../stores.ts';

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
