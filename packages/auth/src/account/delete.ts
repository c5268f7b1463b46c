import type { EventRecord, SessionWithUser, TransactionStores } from '@x/store';
import { aboutSession, recordEvent } from '../events/events.ts';
import { type FreshProof, optionalProofInput, withReauthentication } from '../mfa/reauthentication.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/session.ts';
import { clearedSessionCookies } from '../session/cookies.ts';
import type { SignedOut } from '../session/revoke.ts';
import { toUser } from '../user/user.ts';
import type { AccountDependencies } from './account.ts';

/** The proof for deleting an account: a password or a code; neither, if the account has neither. */
export type AccountDeletion = FreshProof;

/**
 * Deletes the caller's account and everything that belongs to it except the log. If the account has neither a password
 * nor a second factor, the session must be less than five minutes old.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`; `STEP_UP_REQUIRED`
 * with `meta.maxAge` if the session is too old; whatever the app's `beforeUserDelete` throws
 */
export async function deleteAccount(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<SignedOut> {
  const claims = await requireClaims(deps.sessions, request.headers);
  const proof = await parseInput(optionalProofInput, input);
  await withReauthentication(deps.mfa, { claims, proof }, request, async (stores, locked) => ({
    outcome: undefined,
    events: [await deleteUser(deps, stores, locked, request)],
  }));
  return { cookies: clearedSessionCookies(deps.config) };
}

async function deleteUser(
  deps: AccountDependencies,
  stores: TransactionStores,
  caller: SessionWithUser,
  request: RequestContext,
): Promise<EventRecord> {
  const { user } = caller;
  const shown = toUser(user, deps.config);
  await deps.hooks.beforeUserDelete(shown, { stores });
  await stores.sessions.revokeAll(user.id);
  await stores.users.delete(user.id);
  await deps.hooks.onUserDeleted(shown, { stores });
  return recordEvent(stores, { ...aboutSession(caller), type: 'user.deleted' }, request);
}
