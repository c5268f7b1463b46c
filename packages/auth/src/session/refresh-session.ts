import { CodedError } from '@x/errors';
import type { SessionRecord, SessionWithUser } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { cookieNames, readCookie } from '../cookies/auth-cookies.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import { addressKey } from '../limits/address-key.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import type { RequestContext } from '../request/request-context.ts';
import { customClaims } from './custom-claims.ts';
import { issueTokens, type SignedIn } from './issue-tokens.ts';
import { judgeRefreshToken } from './judge-refresh-token.ts';
import { hashRefreshToken, type ParsedRefreshToken } from './refresh-token.ts';

/**
 * Rotates the refresh token that a request presents and issues a fresh JWT for the user as stored now.
 *
 * All who present one token within the grace get the same successor, so neither concurrent refreshes nor an answer that
 * was lost fork the chain. A token from further back ends the session.
 *
 * @throws CodedError `RATE_LIMITED`; `SESSION_EXPIRED` where no token is presented that is good
 */
export async function refreshSession(auth: AuthContext, request: RequestContext): Promise<SignedIn> {
  await consumeAttempt(auth, { limit: 'refresh', key: addressKey(request.ipAddress) }, request);
  const presented = presentedToken(auth, request);
  // A rotation is lost to another one at most; the next look finds its outcome.
  for (let look = 0; presented !== null && look < maxLooks; look++) {
    const found = await auth.stores.sessions.findWithUser(presented.sessionId);
    if (found === null || !auth.refreshTokens.verify(presented, found.session.refreshSalt)) break;
    const answer = await answerTo(auth, presented, found, request);
    if (answer === 'refused') break;
    if (answer !== 'outrun') return answer;
  }
  throw new CodedError('SESSION_EXPIRED', 'The session is over.');
}

const maxLooks = 5;

type PresentedToken = ParsedRefreshToken & { readonly hash: string };

function presentedToken(auth: AuthContext, { headers }: RequestContext): PresentedToken | null {
  const token = readCookie(headers, cookieNames.refreshToken);
  const parsed = token === null ? null : auth.refreshTokens.parse(token);
  return token !== null && parsed !== null ? { ...parsed, hash: hashRefreshToken(token) } : null;
}

async function answerTo(
  auth: AuthContext,
  presented: PresentedToken,
  found: SessionWithUser,
  request: RequestContext,
): Promise<SignedIn | 'refused' | 'outrun'> {
  const { session, user } = found;
  if (user.disabledAt !== null) return 'refused';
  const terms = { now: auth.stores.clock.now(), graceMs: auth.config.session.refreshGrace };
  switch (judgeRefreshToken(presented, session, terms)) {
    case 'current':
      return rotate(auth, found);
    case 'retried':
      return answerAgain(auth, found);
    case 'reused':
      await endReused(auth, session, presented, request);
      return 'refused';
    case 'refused':
      return 'refused';
  }
}

/** Whatever can fail does so before the rotation: after it, the browser has to get the successor. */
async function rotate(auth: AuthContext, { session, user }: SessionWithUser): Promise<SignedIn | 'outrun'> {
  const { id, generation, refreshSalt: salt } = session;
  const refreshToken = auth.refreshTokens.derive({ sessionId: id, generation: generation + 1, salt });
  const signedIn = await issue(auth, { session, user }, refreshToken);
  const tokens = { expectedHash: session.refreshTokenHash, nextHash: hashRefreshToken(refreshToken) };
  const rotated = await auth.stores.sessions.rotate(id, tokens);
  if (rotated === null) return 'outrun';
  if (saysTheSame(rotated, session)) return signedIn;
  // Tenant, second factor or user changed while the JWT was signed.
  const changed = await auth.stores.sessions.findWithUser(id);
  return changed === null ? 'outrun' : issue(auth, changed, refreshToken);
}

/** Derives the successor once more. It is the stored one or none: its secret may have been configured away. */
async function answerAgain(auth: AuthContext, found: SessionWithUser): Promise<SignedIn | 'refused'> {
  const { id, generation, refreshSalt: salt, refreshTokenHash } = found.session;
  const successor = auth.refreshTokens.deriveAgain({ sessionId: id, generation, salt }, refreshTokenHash);
  return successor === null ? 'refused' : issue(auth, found, successor);
}

async function issue(auth: AuthContext, { session, user }: SessionWithUser, refreshToken: string): Promise<SignedIn> {
  return issueTokens(auth, { session, user, refreshToken, custom: await customClaims(auth, user) });
}

/** `ver` rises with whatever else changes what a JWT says of the session, but for the second factor. */
function saysTheSame(a: SessionRecord, b: SessionRecord): boolean {
  return a.ver === b.ver && a.secondFactorAt?.getTime() === b.secondFactorAt?.getTime();
}

async function endReused(
  auth: AuthContext,
  { id, userId, tenantId, generation }: SessionRecord,
  presented: PresentedToken,
  request: RequestContext,
): Promise<void> {
  const detail = { presentedGeneration: presented.generation, currentGeneration: generation };
  const events = await auth.stores.transaction(async (stores) => {
    if ((await stores.sessions.revoke(id)) === null) return [];
    const event = { type: 'refresh_token.reused', userId, tenantId, sessionId: id, detail } as const;
    return [await recordEvent(stores, event, request)];
  });
  publishEvents(auth, events);
}
