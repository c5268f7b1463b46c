import type { AuthContext } from '../auth-context.ts';

/** How a pruning can be stopped. */
export interface PruneOptions {
  /** Stops it after the batch under way. */
  readonly signal?: AbortSignal;
}

/** How many rows of each kind a pruning deleted. */
export interface Pruned {
  readonly sessions: number;
  readonly rateLimits: number;
  readonly events: number;
  /** Of both kinds. */
  readonly mailTokens: number;
  readonly oneTimeIds: number;
}

/** A batch holds up other writers for a few milliseconds. */
const batchSize = 200;

const day = 86_400_000;

/** Deletes what is past its use, batch by batch until none is left. */
export async function prune({ stores }: Pick<AuthContext, 'stores'>, options: PruneOptions = {}): Promise<Pruned> {
  const { signal } = options;
  const now = stores.clock.now().getTime();
  const ended = { before: new Date(now - day), limit: batchSize };
  // Until then a link that is too old is told so.
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
    // A batch may come out short because another process is at the same rows; that one goes on.
    if (count < batchSize) break;
  }
  return deleted;
}
