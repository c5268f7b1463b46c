import { isDeepStrictEqual } from 'node:util';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../events/events.ts';
import { toUser } from '../user/to-user.ts';
import { currentClaims } from './extra-claims.ts';
import { inTenantOf, issueTokens, type SignedIn } from './issue.ts';
import type { PreparedSession } from './start.ts';
import type { StoredSession } from './store-session.ts';

/**
 * Finishes a sign-in after the commit of its session: publishes its events, and returns the prepared tokens, or new
 * ones if the user has changed since they were prepared. For a new user, the stored timestamps and the access set are
 * only known now, so their tokens are signed twice.
 */
export async function completeSignIn(
  auth: AuthContext,
  prepared: PreparedSession,
  stored: StoredSession,
): Promise<SignedIn> {
  publishEvents(auth, stored.events);
  const user = toUser(inTenantOf(stored.session, stored.user), auth.config);
  const isComplete = auth.accessSet === null || prepared.claims.access !== null;
  const isCurrent = isComplete && isDeepStrictEqual(user, prepared.signedIn.user);
  return isCurrent ? prepared.signedIn : issueAgain(auth, prepared, stored);
}

/** A session whose tokens can't be handed out is not left behind. */
async function issueAgain(
  auth: AuthContext,
  { user: preparedFor, claims: prepared, refreshToken }: PreparedSession,
  { user, session }: StoredSession,
): Promise<SignedIn> {
  try {
    const subject = { user: inTenantOf(session, user), secondFactorAt: session.secondFactorAt };
    const claims = await currentClaims(auth, subject, { user: preparedFor, claims: prepared });
    return await issueTokens(auth, { user, session, refreshToken, claims });
  } catch (error) {
    await auth.stores.sessions.revoke(session.id);
    throw error;
  }
}
