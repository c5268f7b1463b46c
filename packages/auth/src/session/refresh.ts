import { CodedError } from '@x/errors';
import { type SessionRecord, type SessionWithUser, storeUnavailable } from '@x/store';
import { isSameText } from '../crypto/hash.ts';
import { loggedTransaction } from '../events/events.ts';
import { countFailedRefresh, countAndFindSession } from '../rate-limits/refresh-limit.ts';
import { readScopedCookie } from '../request/headers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { isSessionExpired } from '../request/route.ts';
import { cookieName } from './cookies.ts';
import { extraClaims, issueTokens, type SignedIn, toClaimSubject } from './issue.ts';
import { deriveCurrentToken, hashRefreshToken, type ParsedRefreshToken } from './refresh-token.ts';
import { isEnded, type RefreshGrace, type SessionDependencies } from './session.ts';

/** A refresh token that we issued for the session: its MAC was verified. */
interface AuthenticRefreshToken {
  /** The hash that the session stores while this token is the current one. */
  readonly hash: string;
  readonly generation: number;
}

/**
 * The decision about a refresh token.
 *
 * - `current`: it may be rotated.
 * - `retried`: the response to its rotation may have been lost, so the same successor is sent again.
 * - `reused`: it was rotated before, so two parties have the chain (RFC 9700 section 4.14.2).
 * - `refused`: the session has ended, or the token is from a future that was lost when a backup was restored.
 */
export type RefreshDecision = 'current' | 'retried' | 'reused' | 'refused';

/** Decides about a refresh token by its session as of now. */
export function evaluateRefresh(
  token: AuthenticRefreshToken,
  session: SessionRecord,
  { now, grace }: { readonly now: Date; readonly grace: RefreshGrace },
): RefreshDecision {
  if (isEnded(session, now)) return 'refused';
  if (token.generation > session.generation) return 'refused';
  if (isSameText(token.hash, session.refreshTokenHash)) return 'current';
  const isPrevious = session.previousTokenHash !== null && isSameText(token.hash, session.previousTokenHash);
  // The difference is negative if the clock of another machine is ahead.
  const isInTime = grace === 'until-used' || now.getTime() - session.rotatedAt.getTime() < grace;
  return isPrevious && isInTime ? 'retried' : 'reused';
}

/**
 * Rotates the refresh token that a request presents, and issues a new JWT for the user as currently stored.
 *
 * All requests that present the same token within the grace period get the same successor, so neither concurrent
 * refreshes nor a lost response fork the chain. An older token ends the session.
 *
 * @throws CodedError `RATE_LIMITED`; `SESSION_EXPIRED` if no valid token is presented
 */
export async function refreshSession(deps: SessionDependencies, request: RequestContext): Promise<SignedIn> {
  const presented = readRefreshToken(deps, request);
  const found = await countAndFindSession(deps.limits, presented, request);
  try {
    if (presented === null) throw sessionExpired();
    return await refreshFound(deps, presented, found, request);
  } catch (error) {
    if (isSessionExpired(error)) await countFailedRefresh(deps.limits, presented, found, request);
    throw error;
  }
}

/**
 * Refreshes a session that was found by a token, as {@link refreshSession} does, once its attempt has been counted.
 *
 * @throws CodedError `SESSION_EXPIRED`
 */
export async function refreshFound(
  deps: SessionDependencies,
  presented: PresentedToken,
  first: SessionWithUser | null,
  request: RequestContext,
): Promise<SignedIn> {
  let found = first;
  for (let attempt = 1; ; attempt += 1) {
    const signedIn = await attemptRefresh(deps, presented, found, request);
    if (signedIn !== null) return signedIn;
    if (attempt === maxAttempts) throw storeUnavailable();
    found = await deps.stores.sessions.findWithUser(presented.sessionId);
  }
}

/** Each attempt but the last may lose a race against another change of the session. */
const maxAttempts = 5;

/** A refresh token as presented; whether it is authentic is not known yet. */
export interface PresentedToken extends ParsedRefreshToken {
  readonly hash: string;
  /** The grace period is measured to this moment, however long the stores and the app's claims take. */
  readonly presentedAt: Date;
}

/** Reads the refresh token that a request presents; null if there is none, or it is malformed. */
export function readRefreshToken(deps: SessionDependencies, { headers }: RequestContext): PresentedToken | null {
  const token = readScopedCookie(headers, cookieName(deps.config, 'ref'));
  const parsed = token === null ? null : deps.refreshTokens.parse(token);
  if (token === null || parsed === null) return null;
  return { ...parsed, hash: hashRefreshToken(parsed.sessionId, token), presentedAt: deps.stores.clock.now() };
}

function sessionExpired(): CodedError {
  return new CodedError('SESSION_EXPIRED', 'The session has ended.');
}

/** Returns null if the session was changed concurrently, and has to be looked up again. */
async function attemptRefresh(
  deps: SessionDependencies,
  presented: PresentedToken,
  found: SessionWithUser | null,
  request: RequestContext,
): Promise<SignedIn | null> {
  if (found === null || !deps.refreshTokens.verify(presented, found.session.refreshSalt)) throw sessionExpired();
  if (found.user.disabledAt !== null) throw sessionExpired();
  const terms = { now: presented.presentedAt, grace: deps.config.session.refreshGrace };
  switch (evaluateRefresh(presented, found.session, terms)) {
    case 'current':
      return rotate(deps, found);
    case 'retried':
      return resendTokens(deps, found, deriveCurrentToken(deps.refreshTokens, found.session));
    case 'reused':
      await revokeReused(deps, found.session, presented, request);
      throw sessionExpired();
    case 'refused':
      throw sessionExpired();
  }
}

/** Everything that can fail happens before the rotation: after it, the browser must get the successor. */
async function rotate(deps: SessionDependencies, { session, user }: SessionWithUser): Promise<SignedIn | null> {
  const { id, generation, refreshSalt: salt } = session;
  const refreshToken = deps.refreshTokens.derive({ sessionId: id, generation: generation + 1, salt });
  const signedIn = await signTokens(deps, { session, user }, refreshToken);
  const tokens = { expectedHash: session.refreshTokenHash, nextHash: hashRefreshToken(id, refreshToken) };
  const rotated = await deps.stores.sessions.rotate(id, tokens);
  if (rotated === null) return null;
  if (isUnchanged(rotated, session)) return signedIn;
  // Tenant, second factor or user changed while the JWT was being signed.
  const changed = await deps.stores.sessions.findWithUser(id);
  return changed && resendTokens(deps, changed, refreshToken);
}

/**
 * Responds to a rotation that has already happened. No write follows that would notice changes made while the JWT was
 * signed, which takes as long as the app's claims do; so it is checked again, or the JWT of a session revoked meanwhile
 * would outlive it by that time.
 *
 * @param refreshToken - the stored one; null if its secret was removed from the configuration
 */
async function resendTokens(
  deps: SessionDependencies,
  found: SessionWithUser,
  refreshToken: string | null,
): Promise<SignedIn | null> {
  if (refreshToken === null) throw sessionExpired();
  const signedIn = await signTokens(deps, found, refreshToken);
  const session = await deps.stores.sessions.findById(found.session.id);
  if (session === null || isEnded(session, deps.stores.clock.now())) throw sessionExpired();
  return isUnchanged(session, found.session) ? signedIn : null;
}

async function signTokens(
  deps: SessionDependencies,
  { session, user }: SessionWithUser,
  refreshToken: string,
): Promise<SignedIn> {
  const claims = await extraClaims(deps, toClaimSubject(session, user));
  return issueTokens(deps, { session, user, refreshToken, claims });
}

/** `ver` rises with tenant and role; `setSecondFactor` also sets `authenticatedAt`. Others show at the next refresh. */
function isUnchanged(a: SessionRecord, b: SessionRecord): boolean {
  return a.ver === b.ver && a.authenticatedAt.getTime() === b.authenticatedAt.getTime();
}

async function revokeReused(
  deps: SessionDependencies,
  { id, userId, tenantId, generation }: SessionRecord,
  presented: PresentedToken,
  request: RequestContext,
): Promise<void> {
  const detail = { presentedGeneration: presented.generation, currentGeneration: generation };
  await loggedTransaction(deps, request, async (stores, log) => {
    if ((await stores.sessions.revoke(id, log.cause({ reason: 'refresh_token_reused' }))) === null) return;
    await log.append(stores, { type: 'refresh_token.reused', userId, tenantId, sessionId: id, detail });
  });
}
