import { isDeepStrictEqual } from 'node:util';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../event/record-event.ts';
import { toUser } from '../user/to-user.ts';
import { currentClaims } from './custom-claims.ts';
import { inTenantOf, issueTokens, type SignedIn } from './issue-tokens.ts';
import type { PreparedSession } from './prepare-session.ts';
import type { StoredSession } from './store-session.ts';

/**
 * Does what follows the commit of a new session: tells the app, and hands out the prepared tokens, or others where the user
 * was changed since they were prepared. The moments of a user who is new are known only now, so they are signed twice.
 */
export async function completeSignIn(
  auth: AuthContext,
  prepared: PreparedSession,
  stored: StoredSession,
): Promise<SignedIn> {
  publishEvents(auth, stored.events);
  const user = toUser(inTenantOf(stored.session, stored.user), auth.config);
  return isDeepStrictEqual(user, prepared.signedIn.user) ? prepared.signedIn : issueAgain(auth, prepared, stored);
}

/** A session whose tokens nobody gets is not left behind. */
async function issueAgain(
  auth: AuthContext,
  { user: preparedFor, custom: prepared, refreshToken }: PreparedSession,
  { user, session }: StoredSession,
): Promise<SignedIn> {
  try {
    const custom = await currentClaims(auth, user, { user: preparedFor, custom: prepared });
    return await issueTokens(auth, { user, session, refreshToken, custom });
  } catch (error) {
    await auth.stores.sessions.revoke(session.id);
    throw error;
  }
}
