import { CodedError } from '@x/errors';
import type { SessionWithUser } from '@x/store';
import type { RequestContext } from '../request/request-context.ts';
import { evaluateRefresh, type PresentedToken, readRefreshToken } from './refresh.ts';
import { requireActiveSession, requireSession, type SessionDependencies } from './session.ts';

/**
 * Finds the session and the user of a caller who presents, beside the JWT, the session's own refresh token: the current
 * one, or the previous one within its grace period. It is read, not rotated.
 *
 * A JWT travels: other services verify it and proxies log it. So a JWT alone never mints a token, and never changes how
 * an account is signed in to; every step that does either begins here (RFC 9700 section 2.2).
 *
 * @throws CodedError `UNAUTHENTICATED` without a valid JWT of an active session; `SESSION_EXPIRED` without its refresh
 * token
 */
export async function requirePossession(deps: SessionDependencies, request: RequestContext): Promise<SessionWithUser> {
  const { sid } = await requireSession(deps, request.headers);
  const presented = readRefreshToken(deps, request);
  if (presented?.sessionId !== sid) throw notPossessed();
  const found = await requireActiveSession(deps, sid);
  if (!(await isPossessed(deps, found, presented))) throw notPossessed();
  return found;
}

/** Finds the active session whose refresh token a request presents, in the same way but without a JWT; null if none. */
export async function findPossessed(
  deps: SessionDependencies,
  request: RequestContext,
): Promise<SessionWithUser | null> {
  const presented = readRefreshToken(deps, request);
  const found = presented && (await deps.stores.sessions.findWithUser(presented.sessionId));
  return found && (await isPossessed(deps, found, presented)) ? found : null;
}

/** A token that was rotated before is only refused here: what it means for its session is up to the refresh. */
async function isPossessed(
  deps: SessionDependencies,
  { session }: SessionWithUser,
  presented: PresentedToken,
): Promise<boolean> {
  if (!deps.refreshTokens.verify(presented, session.refreshSalt)) return false;
  const { refreshGrace: grace } = deps.config.session;
  const decision = evaluateRefresh(presented, session, { now: presented.presentedAt, grace });
  // The successor has arrived, so nobody needs the token before it any more.
  if (decision === 'current' && grace === 'until-used' && session.previousTokenHash !== null) {
    await deps.stores.sessions.forgetPreviousToken(session.id, session.refreshTokenHash);
  }
  return decision === 'current' || decision === 'retried';
}

function notPossessed(): CodedError {
  return new CodedError('SESSION_EXPIRED', "The request lacks the session's refresh token. Sign in again.");
}
