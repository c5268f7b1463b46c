import type { Stores, TransactionStores } from '@x/store';

/** A transaction that has taken its first step, and waits. */
export interface Waiting {
  /** Lets it take its last step and commit; resolves or rejects as the transaction does. */
  goOn(lastStep?: (inside: TransactionStores) => Promise<unknown>): Promise<void>;
}

/** Begins a transaction that takes a step, and waits in it until it may continue. */
export async function beginTransaction(
  stores: Stores,
  firstStep: (inside: TransactionStores) => Promise<unknown>,
): Promise<Waiting> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<((inside: TransactionStores) => Promise<unknown>) | undefined>();
  const done = stores.transaction(async (inside) => {
    await firstStep(inside);
    entered.resolve();
    await (
      await released.promise
    )?.(inside);
  });
  // The caller of `goOn` handles a failure. An earlier one must not end the process.
  done.catch(() => undefined);
  await Promise.race([entered.promise, done]);
  return {
    goOn: (lastStep) => {
      released.resolve(lastStep);
      return done;
    },
  };
}
