import { withSetCookies } from '@x/auth/guards';
import { unwrap } from '@x/errors';
import type { Server } from '../create-server.ts';
import type { AuthOfServer } from './page-session.ts';

type RouteHandler = (request: Request) => Promise<Response>;
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/**
 * Creates the exports of `app/api/[...path]/route.ts`. Next passes the address of a client in `X-Forwarded-For`
 * alone, so Next counts as the first proxy: set `trustProxy: 1` if a proxy stands before it.
 *
 * @example
 * ```ts
 * const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = toRouteHandlers(server);
 * ```
 */
export function toRouteHandlers({ fetch }: Pick<Server, 'fetch'>): Readonly<Record<Method, RouteHandler>> {
  const handle: RouteHandler = (request) => fetch(request, { remoteAddress: '127.0.0.1' });
  return { GET: handle, HEAD: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle };
}

/**
 * Creates the `proxy` of `proxy.ts`: it refreshes the session before pages are rendered, which can't set cookies. Pages
 * then read it: `auth.api.getSession(await headers())`. Exclude the routes of the server by a `matcher`.
 *
 * @param NextResponse - that of `next/server`
 * @example
 * ```ts
 * const proxy = createProxy(server, NextResponse);
 * const config = { matcher: '/((?!api/|_next/).*)' };
 * ```
 */
export function createProxy(
  { auth }: AuthOfServer,
  NextResponse: { next(init: { readonly request: { readonly headers: Headers } }): Response },
): RouteHandler {
  return async function refreshSession({ headers }) {
    const { setCookie } = unwrap(await auth.api.getOrRefreshSession(headers));
    const response = NextResponse.next({ request: { headers: withSetCookies(headers, setCookie) } });
    for (const cookie of setCookie) response.headers.append('Set-Cookie', cookie);
    return response;
  };
}
