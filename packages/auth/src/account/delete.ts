import type { Awaitable } from '@x/errors';
import type { SessionWithUser } from '@x/store';
import { z } from 'zod';
import { aboutSession, recordEvent, type RecordedEvent } from '../events/events.ts';
import { type Proof, proofFields, refuseBothProofs, withFreshProof } from '../mfa/proof.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { clearedSessionCookies } from '../session/cookies.ts';
import { requirePossession } from '../session/possession.ts';
import type { SignedOut } from '../session/revoke.ts';
import type { DeletionContext } from '../user/hooks.ts';
import { toUser } from '../user/user.ts';
import type { AccountDependencies } from './account.ts';

/** The proof for deleting an account; none, if the session is fresh. */
export type AccountDeletion = Proof;

/**
 * Deletes the caller's account and everything that belongs to it except the log.
 *
 * @throws CodedError `UNAUTHENTICATED`, `SESSION_EXPIRED`, `VALIDATION_FAILED`; whatever {@link withFreshProof} throws,
 * and whatever the app's `beforeUserDelete` throws
 */
export async function deleteAccount(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<SignedOut> {
  const caller = await requirePossession(deps.sessions, request);
  const proof = parseInput(accountDeletionInput, input);
  const left = await withFreshProof(deps.mfa, { caller, proof }, request, async (stores, locked) => {
    const outcome: Work[] = [];
    const context = { stores, afterCommit: (work: Work) => void outcome.push(work) };
    return { outcome, events: [await deleteUser(deps, context, locked, request)] };
  });
  for (const work of left) await runLogged(deps, work);
  return { cookies: clearedSessionCookies(deps.config) };
}

/** The input of {@link deleteAccount}. */
export const accountDeletionInput: z.ZodType<AccountDeletion> = z
  .strictObject(proofFields)
  .check(refuseBothProofs)
  .prefault({})
  .meta({ maxProperties: 1 });

/** A step of a hook that is left for after the commit. */
type Work = () => Awaitable<void>;

async function deleteUser(
  deps: AccountDependencies,
  context: DeletionContext,
  caller: SessionWithUser,
  request: RequestContext,
): Promise<RecordedEvent> {
  const { stores } = context;
  const { user } = caller;
  const shown = toUser(user, deps.config);
  await deps.hooks.beforeUserDelete(shown, context);
  await stores.sessions.revokeAll(user.id);
  await stores.users.delete(user.id);
  await deps.hooks.onUserDeleted(shown, context);
  return recordEvent(stores, { ...aboutSession(caller), type: 'user.deleted' }, request);
}

async function runLogged({ events }: Pick<AccountDependencies, 'events'>, work: Work): Promise<void> {
  try {
    await work();
  } catch (err) {
    events.logger.error({ err }, 'a hook failed after an account was deleted');
  }
}
