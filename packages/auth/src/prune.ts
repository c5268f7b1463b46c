import type { Stores } from '@x/store';

/** Options of a pruning. */
export interface PruneOptions {
  /** Stops the pruning after the current batch. */
  readonly signal?: AbortSignal;
}

/** How many rows of each kind a pruning deleted. */
export interface Pruned {
  readonly sessions: number;
  readonly rateLimits: number;
  readonly events: number;
  /** Verification and reset tokens together. */
  readonly mailTokens: number;
  readonly oneTimeIds: number;
}

/** Small, because a batch blocks other writers, here for a few milliseconds. */
const batchSize = 200;

const day = 86_400_000;

/** Deletes expired rows, batch by batch, until none are left. */
export async function prune(stores: Stores, options: PruneOptions = {}): Promise<Pruned> {
  const { signal } = options;
  const now = stores.clock.now().getTime();
  const ended = { before: new Date(now - day), limit: batchSize };
  // Expired tokens are kept until then, so that their links are reported as expired rather than invalid.
  const tooOld = { before: new Date(now - 7 * day), limit: batchSize };
  const old = { before: new Date(now - 365 * day), limit: batchSize };
  return {
    sessions: await inBatches(() => stores.sessions.prune(ended), signal),
    rateLimits: await inBatches(() => stores.rateLimits.prune({ limit: batchSize }), signal),
    events: await inBatches(() => stores.events.prune(old), signal),
    mailTokens:
      (await inBatches(() => stores.emailVerifications.prune(tooOld), signal)) +
      (await inBatches(() => stores.passwordResets.prune(tooOld), signal)),
    oneTimeIds: await inBatches(() => stores.oneTimeIds.prune({ limit: batchSize }), signal),
  };
}

async function inBatches(deleteBatch: () => Promise<number>, signal: AbortSignal | undefined): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    const count = await deleteBatch();
    deleted += count;
    // A batch may come out short because another process is deleting the same rows; that process goes on.
    if (count < batchSize) break;
  }
  return deleted;
}
