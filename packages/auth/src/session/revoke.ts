import { CodedError, unauthenticated } from '@x/errors';
import type { SessionId } from '@x/store';
import { EventLog } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import { findJwtSession, requireJwtSession, type SessionDependencies } from './session.ts';
import { clearedSessionCookies } from './cookies.ts';
import { readRefreshToken } from './refresh.ts';
import { isSessionId } from './refresh-token.ts';

/**
 * Ends one of the caller's sessions, possibly the current one.
 *
 * @throws CodedError `UNAUTHENTICATED`; `SESSION_NOT_FOUND` if it is unknown, malformed, over, or another user's
 */
export async function revokeSession(deps: SessionDependencies, id: string, request: RequestContext): Promise<void> {
  const { sid } = await requireJwtSession(deps, request.headers);
  const log = new EventLog(request);
  const cause = log.cause({ reason: 'revoked' });
  const { outcome } = await deps.stores.sessions.revokeOwn(sid, isSessionId(id) ? id : nilSessionId, cause);
  if (outcome === 'unauthenticated') throw unauthenticated();
  if (outcome === 'not_found') throw new CodedError('SESSION_NOT_FOUND', 'There is no such session.');
  log.publish(deps.events);
}

/** Looked up in place of a malformed id, so that the caller's own session is checked in any case. */
const nilSessionId = '00000000-0000-0000-0000-000000000000' as SessionId;

/**
 * Ends all of the caller's sessions except the current one.
 *
 * @returns how many it ended
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function revokeOtherSessions(
  deps: SessionDependencies,
  request: RequestContext,
): Promise<{ readonly revoked: number }> {
  const { sid } = await requireJwtSession(deps, request.headers);
  const log = new EventLog(request);
  const ended = await deps.stores.sessions.revokeOthers(sid, log.cause({ reason: 'others_revoked' }));
  if (ended === null) throw unauthenticated();
  log.publish(deps.events);
  return { revoked: ended.length };
}

/** The outcome of signing out. */
export interface SignedOut {
  /** The `Set-Cookie` values that clear the session. */
  readonly cookies: readonly string[];
}

/**
 * Ends the session that the request presents (identified by its refresh token if the JWT has expired), and clears its
 * cookies. Idempotent: without a valid token it ends nothing and still succeeds.
 */
export async function signOut(deps: SessionDependencies, request: RequestContext): Promise<SignedOut> {
  const ids = [await sessionOfRefreshToken(deps, request), (await findJwtSession(deps, request.headers))?.sid];
  for (const id of new Set(ids)) if (id) await endSession(deps, id, request);
  return { cookies: clearedSessionCookies(deps.config) };
}

async function sessionOfRefreshToken(deps: SessionDependencies, request: RequestContext): Promise<SessionId | null> {
  const presented = readRefreshToken(deps, request);
  const session = presented && (await deps.stores.sessions.findById(presented.sessionId));
  return session && deps.refreshTokens.verify(presented, session.refreshSalt) ? session.id : null;
}

async function endSession(deps: SessionDependencies, id: SessionId, request: RequestContext): Promise<void> {
  const log = new EventLog(request);
  await deps.stores.sessions.revoke(id, log.cause({ reason: 'sign_out' }));
  // The stores report the sessions that they ended; but an earlier attempt may have ended this one, and its response
  // may have been lost.
  deps.revokedSessions.add({ sessionId: id, lowestVer: null });
  log.publish(deps.events);
}
