import type { SessionWithUser, TransactionStores, UserId } from '@x/store';
import { z } from 'zod';
import { aboutSession, type EventLog } from '../events/events.ts';
import { type Proof, proofFields, refuseBothProofs, withFreshProof } from '../mfa/proof.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { clearedSessionCookies } from '../session/cookies.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import type { SignedOut } from '../session/revoke.ts';
import { removeCredentials } from '../user/remove-credentials.ts';
import { finishInBatches, runAfterCommit, type Work } from '../user/unfinished.ts';
import { toUser } from '../user/user.ts';
import type { AccountDependencies } from './account.ts';

/** The proof for deleting an account; none, if the session is fresh. */
export type AccountDeletion = Proof;

/**
 * Deletes the caller's account and everything that belongs to it except the log. One transaction deletes the
 * credentials and frees the address. The app's hook then deletes the app's rows in batches. Pruning finishes the
 * batches that the request does not.
 *
 * @throws CodedError `UNAUTHENTICATED`, `SESSION_EXPIRED`, `VALIDATION_FAILED`; the errors of {@link withFreshProof}
 * and of the app's `beforeUserDelete`
 */
export async function deleteAccount(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<SignedOut> {
  const caller = await requireRefreshToken(deps.sessions, request);
  const proof = parseInput(accountDeletionInput, input);
  const left = await withFreshProof(deps.mfa, { caller, proof }, request, async ({ stores, log }, locked) => {
    const works: Work[] = [];
    const context = { stores, afterCommit: (work: Work) => void works.push(work) };
    await deps.hooks.beforeUserDelete(toUser(locked.user, deps.config), context);
    await startDeletion(stores, locked, log);
    return works;
  });
  await runAfterCommit(deps.events, left);
  await finishSoon(deps, caller.user.id);
  return { cookies: clearedSessionCookies(deps.config) };
}

/** The input of {@link deleteAccount}. */
export const accountDeletionInput: z.ZodType<AccountDeletion> = z
  .strictObject(proofFields)
  .check(refuseBothProofs)
  .prefault({})
  .meta({ maxProperties: 1 });

async function startDeletion(stores: TransactionStores, caller: SessionWithUser, log: EventLog): Promise<void> {
  const { userId: id, ...place } = aboutSession(caller);
  await removeCredentials(stores, id, log.cause({ ...place, reason: 'account_deleted' }));
  await stores.passwordResets.remove(id);
  await stores.mfa.remove(id);
  await stores.users.startDeletion(id, log.cause(place));
}

/** How long a response waits for the batches of a deletion, in milliseconds. */
const requestMs = 10_000;

/** The caller's account is gone already, so a failure here does not fail the request. */
async function finishSoon(deps: AccountDependencies, userId: UserId): Promise<void> {
  const { clock } = deps.stores;
  const endsAt = clock.now().getTime() + requestMs;
  try {
    await finishDeletion(deps, userId, () => clock.now().getTime() < endsAt);
  } catch (err) {
    deps.events.logger.error({ err, userId }, 'the deletion of an account is unfinished, and will go on later');
  }
}

/** Goes on with the deletion of an account, if it is unfinished. */
export async function finishDeletion(deps: AccountDependencies, userId: UserId, mayGoOn: () => boolean): Promise<void> {
  const user = await deps.stores.users.findById(userId);
  if (user?.unfinished !== 'deletion') return;
  const shown = toUser(user, deps.config);
  await finishInBatches(deps, { userId, step: 'deletion', mayGoOn }, async (context) => {
    await deps.hooks.onUserDeleting(shown, context);
    await context.batch(async (last) => {
      await last.stores.users.delete(userId, { by: userId, reason: 'account_deleted' });
      await deps.hooks.onUserDeleted(shown, last);
    });
  });
}
