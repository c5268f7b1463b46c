import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import { withSetCookies } from '../request/headers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { isSessionExpired } from '../request/route.ts';
import { clearedSessionCookies } from './cookies.ts';
import { type PresentedToken, readRefreshToken, refreshFound } from './refresh.ts';
import { getSession, type RenderedSession, type SessionDependencies } from './session.ts';

/**
 * Returns the session of a request for a page. Its JWT alone says it, without a store; once that has expired, the
 * refresh token is rotated, and the new tokens are returned as cookies.
 *
 * Calls that present the same token get the same successor, as `refreshSession` says. Those in progress in this process
 * share one refresh, so that the parts of a page may each call this.
 *
 * @throws TypeError if browsers don't send pages the refresh token; CodedError `RATE_LIMITED`, each session being
 * counted by itself
 */
export async function getOrRefreshSession(
  deps: SessionDependencies,
  request: RequestContext,
): Promise<RenderedSession> {
  assertSentToPages(deps);
  const session = await getSession(deps, request.headers);
  if (session !== null) return { session, setCookie: [] };
  const presented = readRefreshToken(deps, request);
  return presented === null ? { session, setCookie: [] } : shareRefresh(deps, presented, request);
}

/** Without this, every user would be a visitor as soon as their first JWT has expired. */
function assertSentToPages({ config: { session, basePath } }: SessionDependencies): void {
  if (session.cookie.refreshPath !== basePath) return;
  throw new TypeError(
    "getOrRefreshSession: set session.cookie.refreshPath to '/'. Browsers send pages outside of it no refresh token.",
  );
}

function shareRefresh(
  deps: SessionDependencies,
  presented: PresentedToken,
  request: RequestContext,
): Promise<RenderedSession> {
  const { refreshing } = deps;
  const joined = refreshing.get(presented.hash);
  if (joined !== undefined) return joined;
  const started = refresh(deps, presented, request).finally(() => refreshing.delete(presented.hash));
  refreshing.set(presented.hash, started);
  return started;
}

async function refresh(
  deps: SessionDependencies,
  presented: PresentedToken,
  request: RequestContext,
): Promise<RenderedSession> {
  try {
    const found = await deps.stores.sessions.findWithUser(presented.sessionId);
    // Pages come from servers, whose own address is not the client's, and a token that is not authentic allows nothing.
    if (found !== null && deps.refreshTokens.verify(presented, found.session.refreshSalt)) {
      await consumeAttempt(deps.limits, { limit: 'render', session: presented.sessionId }, request);
    }
    const { cookies } = await refreshFound(deps, presented, found, request);
    return { session: await getSession(deps, withSetCookies(new Headers(), cookies)), setCookie: cookies };
  } catch (error) {
    if (!isSessionExpired(error)) throw error;
    return { session: null, setCookie: clearedSessionCookies(deps.config) };
  }
}
