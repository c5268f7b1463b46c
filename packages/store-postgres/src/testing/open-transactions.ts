import type { Stores, TransactionStores } from '@x/store';

/** A transaction that has taken its first step, and waits. */
export interface Waiting {
  /** Lets it take its last step and commit; resolves or rejects as it does. */
  goOn(lastStep?: (inside: TransactionStores) => Promise<unknown>): Promise<void>;
}

/**
 * Begins a transaction that takes a step, and waits in it until it may continue. On a busy machine, where many begin at
 * once, the first one may come too late.
 */
export async function beginTransaction(
  stores: Stores,
  firstStep: (inside: TransactionStores) => Promise<unknown>,
): Promise<Waiting> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await beginOne(stores, firstStep);
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

async function beginOne(stores: Stores, firstStep: (inside: TransactionStores) => Promise<unknown>): Promise<Waiting> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<((inside: TransactionStores) => Promise<unknown>) | undefined>();
  const done = stores.transaction(async (inside) => {
    await firstStep(inside);
    entered.resolve();
    await (
      await released.promise
    )?.(inside);
  });
  // Whoever goes on hears of it; until then it may fail unheard.
  done.catch(() => undefined);
  await Promise.race([entered.promise, done]);
  return {
    goOn: (lastStep) => {
      released.resolve(lastStep);
      return done;
    },
  };
}
