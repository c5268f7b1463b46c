import type { CurrentSession, RequestContext, UserFields } from '@x/auth';
import { requireOwnOrigin, withSetCookies } from '@x/auth/guards';
import { unauthenticated, unwrap } from '@x/errors';
import { createClientAddress } from '@x/http';
import { parseSetCookie } from 'cookie';
import type { Server } from '../create-server.ts';
import type { AuthOfServer } from './page-session.ts';

/** Next counts as the first proxy, as it tells no address but by `X-Forwarded-For`. */
const fromNext = { remoteAddress: '127.0.0.1' };

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
  const handle: RouteHandler = (request) => fetch(request, fromNext);
  return { GET: handle, HEAD: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle };
}

/**
 * Creates the `proxy` of `proxy.ts`: it refreshes the session before pages are rendered, which can't set cookies. Pages
 * then read it by {@link sessionOf}. Exclude the routes of the server by a `matcher`.
 *
 * @example
 * ```ts
 * const proxy = createProxy(server);
 * const config = { matcher: '/((?!api/|_next/).*)' };
 * ```
 */
export function createProxy({ auth }: AuthOfServer): RouteHandler {
  return async function refreshSession({ headers }) {
    const { NextResponse } = await import('next/server.js');
    const { setCookie } = unwrap(await auth.api.getOrRefreshSession(headers));
    const response = NextResponse.next({ request: { headers: withSetCookies(headers, setCookie) } });
    for (const cookie of setCookie) response.headers.append('Set-Cookie', cookie);
    return response;
  };
}

/**
 * Returns the session that `createProxy` has left for a page; null for a visitor.
 *
 * @param headers - default: those of `next/headers`
 * @throws CodedError `SERVICE_UNAVAILABLE`
 */
export async function sessionOf<Fields extends UserFields>(
  { auth }: AuthOfServer<Fields>,
  headers?: Headers,
): Promise<CurrentSession<Fields> | null> {
  return unwrap(await auth.api.getSession(headers ?? (await requestHeaders())));
}

/**
 * Returns the session of the caller of a Server Action, refreshed if need be, and sets the cookies of the response. The
 * page that calls has to be one of the app, as its `Origin` says.
 *
 * @param given - default: the headers of `next/headers`
 * @throws CodedError `CSRF_FAILED`, `UNAUTHENTICATED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`
 * @example
 * ```ts
 * async function greet(): Promise<string> {
 *   'use server';
 *   const { user } = await requireActionSession(server);
 *   return `Hello ${user.email}`;
 * }
 * ```
 */
export async function requireActionSession<Fields extends UserFields>(
  { auth }: AuthOfServer<Fields>,
  given?: Headers,
): Promise<CurrentSession<Fields>> {
  const request = await requireActionRequest({ auth }, given);
  const { session, setCookie } = unwrap(await auth.api.getOrRefreshSession(request));
  if (setCookie.length > 0) await setCookies(setCookie);
  if (session === null) throw unauthenticated();
  return session;
}

/**
 * Returns the request of a Server Action as `auth.api` takes it: its headers, and the client's address as determined by
 * `trustProxy`, as in {@link toRouteHandlers}. The page that calls has to be one of the app, as its `Origin` says.
 *
 * @param given - default: the headers of `next/headers`
 * @throws CodedError `CSRF_FAILED`
 * @example
 * ```ts
 * async function mailAgain(): Promise<void> {
 *   'use server';
 *   await server.auth.api.resendVerification(await requireActionRequest(server));
 * }
 * ```
 */
export async function requireActionRequest<Fields extends UserFields>(
  { auth }: AuthOfServer<Fields>,
  given?: Headers,
): Promise<RequestContext> {
  const headers = given ?? (await requestHeaders());
  const [, port = '80'] = /:(\d+)$/.exec(headers.get('host') ?? '') ?? [];
  requireOwnOrigin(auth, { headers, url: `http://localhost:${port}` });
  const clientAddress = createClientAddress(auth.http.trustProxy);
  return { headers, ipAddress: clientAddress({ req: { raw: { headers } }, env: fromNext }) };
}

/** What a step of `auth.api` returns that sets cookies. */
type AuthOutcome =
  | { readonly ok: true; readonly value: { readonly cookies: readonly string[] } | null }
  | { readonly ok: false; readonly cookies?: readonly string[] };

/**
 * Takes a step of `auth.api` for a Server Action, such as signing in, and sets the cookies that it returns, also those of
 * a sign-in that goes on with a second factor. The page that calls has to be one of the app, as its `Origin` says.
 *
 * @param step - gets the request of {@link requireActionRequest}
 * @param given - default: the headers of `next/headers`
 * @throws CodedError `CSRF_FAILED`
 * @example
 * ```ts
 * async function leave(): Promise<void> {
 *   'use server';
 *   await runAuthStep(server, (request) => server.auth.api.signOut(request));
 * }
 * ```
 */
export async function runAuthStep<Fields extends UserFields, Outcome extends AuthOutcome>(
  { auth }: AuthOfServer<Fields>,
  step: (request: RequestContext) => Promise<Outcome>,
  given?: Headers,
): Promise<Outcome> {
  const outcome = await step(await requireActionRequest({ auth }, given));
  const setCookie = outcome.ok ? outcome.value?.cookies : outcome.cookies;
  if (setCookie && setCookie.length > 0) await setCookies(setCookie);
  return outcome;
}

async function setCookies(setCookie: readonly string[]): Promise<void> {
  const { cookies } = await import('next/headers.js');
  const store = await cookies();
  for (const cookie of setCookie) store.set(parseSetCookie(cookie));
}

async function requestHeaders(): Promise<Headers> {
  const { headers } = await import('next/headers.js');
  return headers();
}
