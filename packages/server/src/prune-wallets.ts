import type { Stores } from '@x/store';

/** A batch holds up other writers for a few milliseconds. */
const batchSize = 200;

/** For so long a repeated use counts once, and one that was taken back is not taken back again. */
const keptMs = 7 * 86_400_000;

/** Forgets uses by key, and receipts taken back, of more than a week ago, batch by batch; says how many. */
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
