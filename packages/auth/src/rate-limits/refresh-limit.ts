import type { Logger } from '@x/errors';
import { type Clock, isKnownToken, type RateLimitStore, type SessionId, type SessionWithUser } from '@x/store';
import type { RequestContext } from '../request/request-context.ts';
import type { Limits } from './limits.ts';
import {
  addressKey,
  type Attempt,
  consumeAttempt,
  type LimitDependencies,
  refuse,
  refuseUnlessCounted,
  toKey,
} from './rate-limits.ts';

/** A refresh token that a request presents. */
interface PresentedToken {
  readonly sessionId: SessionId;
  readonly hash: string;
}

/**
 * Counts a refresh, unless only failures count, and finds its session. Requests with a token that its session stores
 * are counted apart from all others, so that strangers behind the same address can't use up the attempts of users.
 *
 * @throws CodedError `RATE_LIMITED`; `SERVICE_UNAVAILABLE` if the attempt can't be counted
 */
export async function countAndFindSession(
  deps: LimitDependencies,
  token: PresentedToken | null,
  request: RequestContext,
): Promise<SessionWithUser | null> {
  const { per, count } = deps.table.refresh;
  const { checkWithSession } = deps.stores.rateLimits;
  const fitsOneCall = count === 'attempts' && per !== 'user' && deps.store === null;
  if (token !== null && fitsOneCall && checkWithSession) {
    return consumeWithSession(deps, checkWithSession, token, request);
  }
  const found = token && (await deps.stores.sessions.findWithUser(token.sessionId));
  if (count === 'attempts') await consumeAttempt(deps, toAttempt(token, found), request);
  return found;
}

/**
 * Counts a refresh that failed, if only failures count: after it has failed, so that members who refresh at the same
 * time do not refuse each other. More may be tried at once than are left; those above the limit are refused as such.
 *
 * @throws CodedError as {@link countAndFindSession}
 */
export async function countFailedRefresh(
  deps: LimitDependencies,
  token: PresentedToken | null,
  found: SessionWithUser | null,
  request: RequestContext,
): Promise<void> {
  if (deps.table.refresh.count === 'failures') await consumeAttempt(deps, toAttempt(token, found), request);
}

/** Says once an hour that members are refused because of others in their network, and how many were since. */
export function createRefusedRefreshReport(
  { refresh }: Limits,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): LimitDependencies['reportRefusedRefresh'] {
  if (refresh.per !== 'network' || refresh.count === 'failures') return () => undefined;
  let [refused, reportsAt] = [0, 0];
  return (network) => {
    refused += 1;
    const now = clock.now().getTime();
    if (now < reportsAt) return;
    logger.warn(
      { network, refused },
      "people who are signed in cannot refresh, because others on their network used up limits.refresh: if many share an address, as in an office, set limits.refresh.per to 'session'; if it is that of your proxy, set trustProxy",
    );
    [refused, reportsAt] = [0, now + 3_600_000];
  };
}

/** Saves a round trip to a database server: the session is found in the statement that counts. */
async function consumeWithSession(
  deps: LimitDependencies,
  checkWithSession: NonNullable<RateLimitStore['checkWithSession']>,
  token: PresentedToken,
  request: RequestContext,
): Promise<SessionWithUser | null> {
  const { sessionId, hash: tokenHash } = token;
  const { maxAttempts, windowMs, per } = deps.table.refresh;
  const network = addressKey(request.ipAddress);
  const subject = per === 'network' ? network : sessionId;
  const keys = { known: toKey('refresh', subject), unknown: toKey('unknownRefresh', network) };
  const { result, found } = await refuseUnlessCounted(() =>
    checkWithSession({ sessionId, tokenHash, keys, maxAttempts, windowMs }),
  );
  if (!result.allowed) {
    const { limit } = toAttempt(token, found);
    const counted = { limit, subject: limit === 'refresh' ? subject : network, resetsAt: result.resetsAt };
    await refuse(deps, counted, result, request);
  }
  return found;
}

function toAttempt(token: PresentedToken | null, found: SessionWithUser | null): Attempt {
  return token !== null && found !== null && isKnownToken(found, token.hash)
    ? { limit: 'refresh', session: found.session.id, user: found.user.id }
    : { limit: 'unknownRefresh' };
}
