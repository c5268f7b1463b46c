import type { SessionId } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { clearedSessionCookies, cookieNames, readCookie } from './cookies.ts';
import { publishEvents } from '../events/events.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import type { RequestContext } from '../request/request-context.ts';
import { verifiedClaims } from './read.ts';

/** The outcome of signing out. */
export interface SignedOut {
  /** The `Set-Cookie` values that clear the session. */
  readonly cookies: readonly string[];
}

/**
 * Ends the session that the request presents (identified by its refresh token if the JWT has expired), and clears its
 * cookies. Idempotent: without a valid token it ends nothing and still succeeds.
 */
export async function signOut(auth: AuthContext, request: RequestContext): Promise<SignedOut> {
  const presented = await Promise.all([sessionOfRefreshToken(auth, request), sessionOfAccessToken(auth, request)]);
  for (const id of new Set(presented)) if (id !== null) await endSession(auth, id, request);
  return { cookies: clearedSessionCookies(auth.config) };
}

async function sessionOfAccessToken(auth: AuthContext, { headers }: RequestContext): Promise<SessionId | null> {
  const claims = await verifiedClaims(auth, headers);
  return claims?.sid ?? null;
}

async function sessionOfRefreshToken(auth: AuthContext, { headers }: RequestContext): Promise<SessionId | null> {
  const token = readCookie(headers, cookieNames.refreshToken);
  const parsed = token && auth.refreshTokens.parse(token);
  const session = parsed && (await auth.stores.sessions.findById(parsed.sessionId));
  return session && auth.refreshTokens.verify(parsed, session.refreshSalt) ? session.id : null;
}

async function endSession(auth: AuthContext, id: SessionId, request: RequestContext): Promise<void> {
  const events = await auth.stores.transaction(async (stores) => {
    const session = await stores.sessions.revoke(id);
    if (session === null) return [];
    return recordRevocation(stores, { ...session, ended: [id], reason: 'sign_out' }, request);
  });
  // The stores report what they ended; but an earlier attempt may have ended it, and its response may have been lost.
  auth.revokedSessions.add({ sessionId: id, lowestVer: null });
  publishEvents(auth, events);
}
