import { deleteInBatches, type UserId } from '@x/store';
import type { AccountDependencies } from './account/account.ts';
import { finishDeletion } from './account/delete.ts';
import { finishReclaim } from './email/reclaim.ts';

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
  /** Accounts whose unfinished work was completed. */
  readonly accounts: number;
}

const day = 86_400_000;

/** Deletes expired rows, batch by batch, until none are left, and finishes the unfinished work of accounts. */
export async function prune(deps: AccountDependencies, options: PruneOptions = {}): Promise<Pruned> {
  const { signal } = options;
  const { stores } = deps;
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
    accounts: await finishAccounts(deps, signal),
  };
}

const accountsAtOnce = 100;

/** Visits every account once: one that fails again keeps no other from being finished. */
async function finishAccounts(deps: AccountDependencies, signal: AbortSignal | undefined): Promise<number> {
  let finished = 0;
  let after: UserId | null = null;
  for (;;) {
    const users = await deps.stores.users.listUnfinished({ after, limit: accountsAtOnce });
    for (const { id } of users) {
      if (signal?.aborted === true) return finished;
      if (await finishAccount(deps, id, signal)) finished += 1;
      after = id;
    }
    if (users.length < accountsAtOnce) return finished;
  }
}

async function finishAccount(
  deps: AccountDependencies,
  userId: UserId,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const mayGoOn = (): boolean => signal?.aborted !== true;
  try {
    await finishReclaim(deps.emails, userId, { mayGoOn });
    await finishDeletion(deps, userId, mayGoOn);
  } catch (err) {
    deps.events.logger.error({ err, userId }, 'what is unfinished about an account failed again');
    return false;
  }
  const user = await deps.stores.users.findById(userId);
  return (user?.unfinished ?? null) === null;
}
