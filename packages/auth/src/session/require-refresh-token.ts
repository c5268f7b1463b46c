import { CodedError } from '@x/errors';
import type { SessionRecord, SessionWithUser } from '@x/store';
import type { RequestContext } from '../request/request-context.ts';
import { evaluateRefresh, type PresentedToken, readRefreshToken, type RefreshDecision } from './refresh.ts';
import { loadActiveSession, requireJwtSession, type SessionDependencies } from './session.ts';

/**
 * Finds the session and the user of a caller who presents, beside the JWT, the session's own refresh token, and forgets
 * the previous token if the current one is presented and the grace is `until-used`. Within its grace period, the
 * previous one is accepted, too. Neither is rotated.
 *
 * A JWT travels: other services verify it and proxies log it. So a JWT alone never mints a token, and never changes how
 * an account is signed in to; every step that does either begins here (RFC 9700 section 2.2).
 *
 * @throws CodedError `UNAUTHENTICATED` without a valid JWT of an active session; `SESSION_EXPIRED` without its refresh
 * token
 */
export async function requireRefreshToken(
  deps: SessionDependencies,
  request: RequestContext,
): Promise<SessionWithUser> {
  const { sid } = await requireJwtSession(deps, request.headers);
  const presented = readRefreshToken(deps, request);
  if (presented?.sessionId !== sid) throw refreshTokenMissing();
  const found = await loadActiveSession(deps, sid);
  const decision = decide(deps, found.session, presented);
  if (!isAccepted(decision)) throw refreshTokenMissing();
  if (decision === 'current') await endGrace(deps, found.session);
  return found;
}

/**
 * Finds the active session whose refresh token a request presents, and forgets the previous token, in the same way but
 * without a JWT; null if there is none.
 */
export async function acceptRefreshToken(
  deps: SessionDependencies,
  request: RequestContext,
): Promise<SessionWithUser | null> {
  const presented = readRefreshToken(deps, request);
  const found = presented && (await deps.stores.sessions.findWithUser(presented.sessionId));
  const decision = found ? decide(deps, found.session, presented) : 'refused';
  if (!found || !isAccepted(decision)) return null;
  if (decision === 'current') await endGrace(deps, found.session);
  return found;
}

function decide(
  { refreshTokens, config }: SessionDependencies,
  session: SessionRecord,
  presented: PresentedToken,
): RefreshDecision {
  if (!refreshTokens.verify(presented, session.refreshSalt)) return 'refused';
  return evaluateRefresh(presented, session, { now: presented.presentedAt, grace: config.session.refreshGrace });
}

/** A token that was rotated before is only refused here: the refresh decides whether its session ends. */
function isAccepted(decision: RefreshDecision): boolean {
  return decision === 'current' || decision === 'retried';
}

/** Ends the use of the previous token: a client that presents the current one has received it. */
async function endGrace({ stores, config }: SessionDependencies, session: SessionRecord): Promise<void> {
  if (config.session.refreshGrace !== 'until-used' || session.previousTokenHash === null) return;
  await stores.sessions.forgetPreviousToken(session.id, session.refreshTokenHash);
}

function refreshTokenMissing(): CodedError {
  return new CodedError('SESSION_EXPIRED', "The request lacks the session's refresh token. Sign in again.");
}
