import { type Awaitable, CodedError } from '@x/errors';
import { createClientAddress, csrf, errorHandler } from '@x/http';
import type { Context, MiddlewareHandler } from 'hono';
import type { Auth } from './create-auth.ts';
import { csrfPolicyOf, isBearer, readMethods, requireCurrent, requireRoleOf } from './guard-checks.ts';
import type { RequestContext } from './request/request-context.ts';
import { type CurrentSession, getSession, toAccessSubject, verifiedClaims } from './session/session.ts';
import type { AccessSubject, AccessTokenClaims } from './token/claims.ts';
import type { NoFields, UserFields } from './user/fields.ts';

/** What {@link session} sets on the context of a request. */
export interface SessionEnv<Fields extends UserFields = NoFields> {
  Variables: {
    /** Null for an anonymous caller. */
    session: CurrentSession<Fields> | null;
  };
}

/** What {@link requireSession} and {@link requireRole} set on the context of a request. */
export interface RequiredSessionEnv<Fields extends UserFields = NoFields> {
  Variables: { session: CurrentSession<Fields> };
}

/**
 * Loads the caller's session into `c.var.session`, from the JWT alone: without a valid one, the caller is anonymous. A
 * write that was not sent by a page of the app is refused with 403 `CSRF_FAILED`, as on the auth routes.
 *
 * @example
 * ```ts
 * app.get('/hello', session(auth), (c) => c.text(`Hello ${c.var.session?.user.email ?? 'stranger'}`));
 * ```
 */
export function session<Fields extends UserFields>(auth: Auth<Fields>): MiddlewareHandler<SessionEnv<Fields>> {
  return loadSession(auth, (current) => current);
}

/** Loads the caller's session like {@link session}; refuses an anonymous caller with 401 `UNAUTHENTICATED`. */
export function requireSession<Fields extends UserFields>(
  auth: Auth<Fields>,
): MiddlewareHandler<RequiredSessionEnv<Fields>> {
  return loadSession(auth, requireCurrent);
}

/**
 * Requires a session like {@link requireSession}, of a user with one of the roles; refuses others with 403 `FORBIDDEN`.
 * The role is read from the JWT, which is revoked when the role changes.
 */
export function requireRole<Fields extends UserFields>(
  auth: Auth<Fields>,
  ...roles: readonly string[]
): MiddlewareHandler<RequiredSessionEnv<Fields>> {
  return loadSession(auth, (current) => requireRoleOf(current, roles));
}

/**
 * Sets `session` to what `check` returns, or responds with the error that it throws: the app this runs in may not know
 * our errors.
 *
 * A cookie says whose browser it is, not that its owner wants what a foreign page asks for. So a write gets no session
 * before it has proven which page sent it.
 */
function loadSession<Session extends CurrentSession | null>(
  auth: Auth,
  check: (current: CurrentSession | null) => Session,
): MiddlewareHandler<{ Variables: { session: Session } }> {
  const refuse = errorHandler(auth.http.logger);
  const requireCsrf = csrf(csrfPolicyOf(auth), bearerExemption(auth));
  return async function loadSession(c, next) {
    try {
      if (!readMethods.has(c.req.method)) await requireCsrf(c, async () => {});
      c.set('session', check(await getSession(auth.dependencies.sessions, c.req.raw.headers)));
    } catch (error) {
      if (error instanceof CodedError) return refuse(error, c);
      throw error;
    }
    await next();
    return undefined;
  };
}

/**
 * Builds the check for requests that are exempt from CSRF protection: those with a valid bearer token and none of our
 * cookies. Browsers never add such a token on their own, so a foreign page can't make one send it.
 */
export function bearerExemption(auth: Auth): (c: Context) => Promise<boolean> {
  return (c) => isBearer(auth, c.req.raw.headers);
}

/**
 * Creates the function that returns the caller of a request, as far as its JWT tells; null for an anonymous caller. It
 * does not check which page sent the request: `csrf` of `@x/http` does.
 */
export function createRequestCaller({
  dependencies: { sessions },
}: Auth): (c: { readonly req: Pick<Context['req'], 'raw'> }) => Awaitable<AccessSubject | null> {
  return (c) => {
    const claims = verifiedClaims(sessions, c.req.raw.headers);
    return claims instanceof Promise ? claims.then(callerOrNobody) : callerOrNobody(claims);
  };
}

function callerOrNobody(claims: AccessTokenClaims | null): AccessSubject | null {
  return claims && toAccessSubject(claims);
}

/**
 * Creates the function that converts the Hono context of your own route to the request that `auth.api` takes: the
 * headers, and the client's address as determined by `trustProxy`.
 *
 * @example
 * ```ts
 * const apiRequest = createApiRequest(auth);
 * app.post('/leave', async (c) => c.json(await auth.api.signOut(apiRequest(c))));
 * ```
 */
export function createApiRequest({ http }: Auth): (c: Context) => RequestContext {
  const clientAddress = createClientAddress(http.trustProxy);
  return (c) => ({ headers: c.req.raw.headers, ipAddress: clientAddress(c) });
}
