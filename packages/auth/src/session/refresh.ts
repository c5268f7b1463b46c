import { CodedError } from '@x/errors';
import { type SessionRecord, type SessionWithUser, storeUnavailable } from '@x/store';
import { timingSafeEqual } from 'node:crypto';
import { publishEvents, recordEvent } from '../events/events.ts';
import { addressKey, consumeAttempt, consumeAttemptOnSession } from '../rate-limits/rate-limits.ts';
import { readCookie } from '../request/headers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { cookieNames } from './cookies.ts';
import { extraClaims } from './extra-claims.ts';
import { withTenantOf, issueTokens, type SignedIn } from './issue.ts';
import { isEnded } from './caller.ts';
import { hashRefreshToken, type ParsedRefreshToken } from './refresh-token.ts';
import type { SessionDependencies } from './dependencies.ts';

/**
 * Rotates the refresh token that a request presents, and issues a new JWT for the user as currently stored.
 *
 * Everybody who presents the same token within the grace period gets the same successor, so neither concurrent
 * refreshes nor a lost response fork the chain. An older token ends the session.
 *
 * @throws CodedError `RATE_LIMITED`; `SESSION_EXPIRED` if no valid token is presented
 */
export async function refreshSession(deps: SessionDependencies, request: RequestContext): Promise<SignedIn> {
  const presented = readRefreshToken(deps, request);
  const counted = { limit: 'refresh', key: addressKey(request.ipAddress) } as const;
  if (presented === null) {
    await consumeAttempt(deps.limits, counted, request);
    throw sessionExpired();
  }
  const found = await consumeAttemptOnSession(deps.limits, counted, presented.sessionId, request);
  return respond(deps, presented, found, request);
}

/** A rotation can be lost to a concurrent one; looking again finds its outcome. */
async function respond(
  deps: SessionDependencies,
  presented: PresentedToken,
  atFirst: SessionWithUser | null,
  request: RequestContext,
): Promise<SignedIn> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const found = attempts === 0 ? atFirst : await deps.stores.sessions.findWithUser(presented.sessionId);
    if (found === null || !deps.refreshTokens.verify(presented, found.session.refreshSalt)) throw sessionExpired();
    const outcome = await attempt(deps, presented, found, request);
    if (outcome === 'refused') throw sessionExpired();
    if (outcome !== 'lost_race') return outcome;
  }
  throw storeUnavailable();
}

const maxAttempts = 5;

interface PresentedToken extends ParsedRefreshToken {
  readonly hash: string;
  /** The grace period is measured to this moment, however long the stores and the app's claims take. */
  readonly presentedAt: Date;
}

function readRefreshToken(deps: SessionDependencies, { headers }: RequestContext): PresentedToken | null {
  const token = readCookie(headers, cookieNames.refreshToken);
  const parsed = token === null ? null : deps.refreshTokens.parse(token);
  if (token === null || parsed === null) return null;
  return { ...parsed, hash: hashRefreshToken(parsed.sessionId, token), presentedAt: deps.stores.clock.now() };
}

function sessionExpired(): CodedError {
  return new CodedError('SESSION_EXPIRED', 'The session has ended.');
}

/** `lost_race`: the session was changed concurrently, and has to be looked up again. */
type Outcome = SignedIn | 'refused' | 'lost_race';

async function attempt(
  deps: SessionDependencies,
  presented: PresentedToken,
  found: SessionWithUser,
  request: RequestContext,
): Promise<Outcome> {
  const { session, user } = found;
  if (user.disabledAt !== null) return 'refused';
  const terms = { now: presented.presentedAt, graceMs: deps.config.session.refreshGrace };
  switch (evaluateRefresh(presented, session, terms)) {
    case 'current':
      return rotate(deps, found);
    case 'retried':
      return repeat(deps, found, deriveSuccessor(deps, found.session));
    case 'reused':
      await endReused(deps, session, presented, request);
      return 'refused';
    case 'refused':
      return 'refused';
  }
}

/** A refresh token that we issued for the session: its MAC was verified. */
interface AuthenticRefreshToken {
  /** The hash that the session stores while this token is the current one. */
  readonly hash: string;
  readonly generation: number;
}

/**
 * What a refresh token is worth.
 *
 * - `current`: it may be rotated.
 * - `retried`: the response to its rotation may have been lost, so the same successor is sent again.
 * - `reused`: it was rotated before, so two parties have the chain (RFC 9700 section 4.14.2).
 * - `refused`: the session has ended, or the token is from a future that was lost when a backup was restored.
 */
type RefreshDecision = 'current' | 'retried' | 'reused' | 'refused';

/** Decides about a refresh token by its session as of now. `graceMs` counts from the rotation; its last moment is excluded. */
export function evaluateRefresh(
  token: AuthenticRefreshToken,
  session: SessionRecord,
  { now, graceMs }: { readonly now: Date; readonly graceMs: number },
): RefreshDecision {
  if (isEnded(session, now)) return 'refused';
  if (token.generation > session.generation) return 'refused';
  if (isSameHash(token.hash, session.refreshTokenHash)) return 'current';
  const isPrevious = session.previousTokenHash !== null && isSameHash(token.hash, session.previousTokenHash);
  // The difference is negative if the clock of another machine is ahead.
  return isPrevious && now.getTime() - session.rotatedAt.getTime() < graceMs ? 'retried' : 'reused';
}

function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Everything that can fail happens before the rotation: after it, the browser must get the successor. */
async function rotate(deps: SessionDependencies, { session, user }: SessionWithUser): Promise<Outcome> {
  const { id, generation, refreshSalt: salt } = session;
  const refreshToken = deps.refreshTokens.derive({ sessionId: id, generation: generation + 1, salt });
  const signedIn = await issue(deps, { session, user }, refreshToken);
  const tokens = { expectedHash: session.refreshTokenHash, nextHash: hashRefreshToken(id, refreshToken) };
  const rotated = await deps.stores.sessions.rotate(id, tokens);
  if (rotated === null) return 'lost_race';
  if (isUnchanged(rotated, session)) return signedIn;
  // Tenant, second factor or user changed while the JWT was being signed.
  const changed = await deps.stores.sessions.findWithUser(id);
  return changed === null ? 'lost_race' : repeat(deps, changed, refreshToken);
}

/**
 * Derives the successor again; null if it does not match the stored one, because its secret was removed from the
 * configuration.
 */
function deriveSuccessor(deps: SessionDependencies, session: SessionRecord): string | null {
  const { id, generation, refreshSalt: salt, refreshTokenHash } = session;
  return deps.refreshTokens.deriveAgain({ sessionId: id, generation, salt }, refreshTokenHash);
}

/**
 * Responds to a rotation that has already happened. No write follows that would notice changes made while the JWT was
 * signed, which takes as long as the app's claims do; so it is checked again, or the JWT of a session revoked meanwhile
 * would outlive it by that time.
 */
async function repeat(deps: SessionDependencies, found: SessionWithUser, successor: string | null): Promise<Outcome> {
  if (successor === null) return 'refused';
  const signedIn = await issue(deps, found, successor);
  const session = await deps.stores.sessions.findById(found.session.id);
  if (session === null || isEnded(session, deps.stores.clock.now())) return 'refused';
  return isUnchanged(session, found.session) ? signedIn : 'lost_race';
}

async function issue(
  deps: SessionDependencies,
  { session, user }: SessionWithUser,
  refreshToken: string,
): Promise<SignedIn> {
  const claims = await extraClaims(deps, {
    user: withTenantOf(session, user),
    secondFactorAt: session.secondFactorAt,
  });
  return issueTokens(deps, { session, user, refreshToken, claims });
}

/** `ver` rises with the tenant and the role. Other changes to a user show at the next refresh. */
function isUnchanged(a: SessionRecord, b: SessionRecord): boolean {
  return a.ver === b.ver && a.secondFactorAt?.getTime() === b.secondFactorAt?.getTime();
}

async function endReused(
  deps: SessionDependencies,
  { id, userId, tenantId, generation }: SessionRecord,
  presented: PresentedToken,
  request: RequestContext,
): Promise<void> {
  const detail = { presentedGeneration: presented.generation, currentGeneration: generation };
  const events = await deps.stores.transaction(async (stores) => {
    if ((await stores.sessions.revoke(id)) === null) return [];
    const event = { type: 'refresh_token.reused', userId, tenantId, sessionId: id, detail } as const;
    return [await recordEvent(stores, event, request)];
  });
  publishEvents(deps.events, events);
}
