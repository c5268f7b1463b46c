import { CodedError } from '@x/errors';
import type { EventRecord, SessionWithUser, TransactionStores } from '@x/store';
import { z } from 'zod';
import type { AccessTokenClaims } from '../access-token/access-token-claims.ts';
import type { AuthContext } from '../auth-context.ts';
import { clearedSessionCookies } from '../cookies/auth-cookies.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from '../session/get-session.ts';
import type { SignedOut } from '../session/sign-out.ts';
import { toUser } from '../user/to-user.ts';
import { confirmPassword, passwordNotRight, requireActive } from './confirm-password.ts';
import { password } from './credentials.ts';

/** Who says that an account is to be deleted. */
export interface AccountDeletion {
  /** Left out where the account has none. */
  readonly password?: string | undefined;
}

/**
 * Deletes the caller's account with all that is theirs but the log. An account without a password is deleted from a session
 * that is younger than five minutes.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`; `STEP_UP_REQUIRED` with
 * `meta.maxAge` where the session is too old; what the app's `beforeUserDelete` throws to refuse
 */
export async function deleteAccount(auth: AuthContext, input: unknown, request: RequestContext): Promise<SignedOut> {
  const claims = await requireClaims(auth, request.headers);
  const deletion = await parseInput(schema, input);
  await consumeAttempt(auth, { limit: 'password', key: claims.sub }, request);
  const verifiedHash = await confirmOwner(auth, claims, deletion, request);
  const event = await auth.stores.transaction(async (stores) => {
    const held = await stores.sessions.holdActive(claims.sid);
    if (held === null) throw unauthenticated();
    if (held.user.passwordHash !== verifiedHash) throw passwordNotRight();
    return deleteUser(auth, stores, held, request);
  });
  publishEvents(auth, [event]);
  return { cookies: clearedSessionCookies(auth.config) };
}

const schema = z.strictObject({ password: password.optional() });

const freshSeconds = 300;

/** Returns the hash that was verified; null where the account has none. */
async function confirmOwner(
  auth: AuthContext,
  claims: AccessTokenClaims,
  { password }: AccountDeletion,
  request: RequestContext,
): Promise<string | null> {
  if (password !== undefined) return confirmPassword(auth, claims, password, request);
  const { session, user } = await requireActive(auth, claims.sid);
  if (user.passwordHash !== null) throw passwordNotRight();
  const ageMs = auth.stores.clock.now().getTime() - session.createdAt.getTime();
  if (ageMs < freshSeconds * 1000) return null;
  throw new CodedError('STEP_UP_REQUIRED', 'Sign in again first.', { meta: { maxAge: freshSeconds } });
}

async function deleteUser(
  auth: AuthContext,
  stores: TransactionStores,
  { user, session }: SessionWithUser,
  request: RequestContext,
): Promise<EventRecord> {
  const shown = toUser(user, auth.config);
  await auth.hooks.beforeUserDelete(shown, { stores });
  await stores.sessions.revokeAll(user.id);
  await stores.users.delete(user.id);
  await auth.hooks.onUserDeleted(shown, { stores });
  const about = { userId: user.id, tenantId: user.tenantId, sessionId: session.id };
  return recordEvent(stores, { ...about, type: 'user.deleted' }, request);
}
