import { deleteInBatches, type Stores } from '@x/store';

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

const day = 86_400_000;

/** Deletes expired rows, batch by batch, until none are left. */
export async function prune(stores: Stores, options: PruneOptions = {}): Promise<Pruned> {
  const { signal } = options;
  const now = stores.clock.now().getTime();
  const before = (days: number): Date => new Date(now - days * day);
  const ended = before(1);
  // Expired tokens are kept until then, so that their links are reported as expired rather than invalid.
  const tooOld = before(7);
  const old = before(365);
  // Strangers cause them.
  const failedSignIns = { before: before(30), type: 'sign_in.failed' } as const;
  return {
    sessions: await deleteInBatches((limit) => stores.sessions.prune({ before: ended, limit }), signal),
    rateLimits: await deleteInBatches((limit) => stores.rateLimits.prune({ limit }), signal),
    events:
      (await deleteInBatches((limit) => stores.events.prune({ before: old, limit }), signal)) +
      (await deleteInBatches((limit) => stores.events.prune({ ...failedSignIns, limit }), signal)),
    mailTokens:
      (await deleteInBatches((limit) => stores.emailVerifications.prune({ before: tooOld, limit }), signal)) +
      (await deleteInBatches((limit) => stores.passwordResets.prune({ before: tooOld, limit }), signal)),
    oneTimeIds: await deleteInBatches((limit) => stores.oneTimeIds.prune({ limit }), signal),
  };
}
