import type { Stores, TransactionStores } from '@x/store';

/** A transaction that hangs. */
export interface HangingTransaction {
  readonly outcome: Promise<unknown>;
  /** Lets it go on. */
  readonly release: () => void;
  /** Resolves when its work has run to its end. */
  readonly isOver: Promise<void>;
}

/** The work of a transaction that hangs where it waits for `hang()`. */
type HangingWork = (inside: TransactionStores, hang: () => Promise<void>) => Promise<unknown>;

/**
 * Opens a transaction, and returns it when it hangs. On a busy machine its time may be up before; then it begins again.
 */
export async function hangTransaction(
  stores: Stores,
  work: HangingWork,
  options?: Parameters<Stores['transaction']>[1],
): Promise<HangingTransaction> {
  for (;;) {
    const [hanging, released, over] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    const hang = async (): Promise<void> => {
      hanging.resolve();
      await released.promise;
    };
    const outcome = stores.transaction(async (inside) => work(inside, hang).finally(over.resolve), options);
    const refusal = await Promise.race([hanging.promise, outcome.catch((error: unknown) => error)]);
    if (refusal === undefined) return { outcome, release: released.resolve, isOver: over.promise };
    if ((refusal as { readonly code?: unknown }).code !== 'SERVICE_UNAVAILABLE') await outcome;
  }
}
