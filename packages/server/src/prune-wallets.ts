import type { Stores } from '@x/store';

/** Small, because a batch blocks other writers, here for a few milliseconds. */
const batchSize = 200;

/** How long repetitions of a use count once, and a receipt can't be used twice. */
const keptMs = 7 * 86_400_000;

/** Deletes idempotency keys and used receipts older than a week, batch by batch; returns how many. */
export async function pruneWallets(
  { wallets, clock }: Pick<Stores, 'wallets' | 'clock'>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<number> {
  const old = { before: new Date(clock.now().getTime() - keptMs), limit: batchSize };
  let forgotten = 0;
  for (let last = batchSize; last === batchSize && signal?.aborted !== true; forgotten += last) {
    last = await wallets.prune(old);
  }
  return forgotten;
}
