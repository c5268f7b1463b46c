import type { Auth, CurrentSession, NoFields, RenderedSession, UserFields } from '@x/auth';
import { type GuardedRequest, type GuardOptions, session } from '@x/auth/guards';
import { unauthenticated, unwrap } from '@x/errors';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The part of a server that adapters use to find the session of a page. */
export interface AuthOfServer<Fields extends UserFields = NoFields> {
  readonly auth: Auth<Fields>;
}

/**
 * Returns the session of a request to the app's own pages and routes, refreshed if need be. A write has to come from a
 * page of the app.
 *
 * @throws CodedError `CSRF_FAILED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`
 */
export async function getOwnSession<Fields extends UserFields>(
  { auth }: AuthOfServer<Fields>,
  request: GuardedRequest,
  options: GuardOptions | undefined,
): Promise<RenderedSession<Fields>> {
  const current = await session(auth, request, options);
  if (current !== null) return { session: current, setCookie: [] };
  return unwrap(await auth.api.getOrRefreshSession(request.headers));
}

/**
 * Returns the session of a request that Node's HTTP server has received, and sets the cookies of the response; null for
 * a visitor. A write has to come from a page of the app.
 *
 * @throws CodedError `CSRF_FAILED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`; its `status` is that of the response
 * @example
 * ```ts
 * http.createServer(async (incoming, outgoing) => {
 *   const session = await sessionOf(server, incoming, outgoing);
 *   outgoing.end(`Hello ${session?.user.email ?? 'stranger'}`);
 * });
 * ```
 */
export async function sessionOf<Fields extends UserFields>(
  server: AuthOfServer<Fields>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options?: GuardOptions,
): Promise<CurrentSession<Fields> | null> {
  const { session: current, setCookie } = await getOwnSession(server, toGuarded(incoming), options);
  for (const cookie of setCookie) outgoing.appendHeader('Set-Cookie', cookie);
  return current;
}

/**
 * Returns the session of a request like {@link sessionOf}; refuses a visitor.
 *
 * @throws CodedError `CSRF_FAILED`, `UNAUTHENTICATED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`
 */
export async function requireSession<Fields extends UserFields>(
  server: AuthOfServer<Fields>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options?: GuardOptions,
): Promise<CurrentSession<Fields>> {
  const current = await sessionOf(server, incoming, outgoing, options);
  if (current === null) throw unauthenticated();
  return current;
}

/** Converts a Node request to the form that guards check. */
export function toGuarded({ method = 'GET', headersDistinct, socket }: IncomingMessage): GuardedRequest {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    // Node joins several Cookie header fields by semicolons (RFC 9113 section 8.2.3), `Headers` by commas.
    headers.set(name, values.join(name === 'cookie' ? '; ' : ', '));
  }
  return { method, headers, url: `http://localhost:${socket.localPort}` };
}
