import { type Awaitable, CodedError } from '@x/errors';
import { createClientAddress, csrf, errorHandler } from '@x/http';
import type { Context, MiddlewareHandler } from 'hono';
import type { Auth } from './create-auth.ts';
import {
  csrfPolicyOf,
  type GuardOptions,
  isCsrfExempt,
  principalOf,
  readMethods,
  requireRoleOf,
} from './guard-checks.ts';
import {
  type CurrentSession,
  type Principal,
  requirePrincipal as requireAnyPrincipal,
  requireSessionOf,
} from './principal/principal.ts';
import type { RequestContext } from './request/request-context.ts';
import type { NoFields, UserFields } from './user/fields.ts';

/** The variables that {@link session} sets on the context of a request. */
export interface SessionEnv<Fields extends UserFields = NoFields> {
  Variables: {
    /** Null for an anonymous caller. */
    principal: Principal<Fields> | null;
    /** That of the principal; null without one. */
    session: CurrentSession<Fields> | null;
  };
}

/** The variables that {@link requirePrincipal} and {@link requireRole} set on the context of a request. */
export interface PrincipalEnv<Fields extends UserFields = NoFields> {
  Variables: {
    principal: Principal<Fields>;
    /** That of the principal; null for a credential of none, such as an API key. */
    session: CurrentSession<Fields> | null;
  };
}

/** The variables that {@link requireSession} sets on the context of a request. */
export interface RequiredSessionEnv<Fields extends UserFields = NoFields> {
  Variables: { principal: Principal<Fields>; session: CurrentSession<Fields> };
}

/**
 * Loads who a request is from into `c.var.principal`, and their session into `c.var.session`, from the JWT alone:
 * without a valid credential, the caller is anonymous. A write that was not sent by a page of the app is refused with
 * 403 `CSRF_FAILED`, as on the auth routes.
 *
 * @example
 * ```ts
 * app.get('/hello', session(auth), (c) => c.text(`Hello ${c.var.session?.user.email ?? 'stranger'}`));
 * ```
 */
export function session<Fields extends UserFields>(
  auth: Auth<Fields>,
  options?: GuardOptions,
): MiddlewareHandler<SessionEnv<Fields>> {
  return guard(auth, options, (principal) => ({ principal, session: principal?.session ?? null }));
}

/** Loads the caller's session like {@link session}; refuses a caller without one with 401 `UNAUTHENTICATED`. */
export function requireSession<Fields extends UserFields>(
  auth: Auth<Fields>,
  options?: GuardOptions,
): MiddlewareHandler<RequiredSessionEnv<Fields>> {
  return guard(auth, options, (principal) => ({
    principal: requireAnyPrincipal(principal),
    session: requireSessionOf(principal),
  }));
}

/** Loads the caller like {@link session}, by any credential; refuses an anonymous one with 401 `UNAUTHENTICATED`. */
export function requirePrincipal<Fields extends UserFields>(
  auth: Auth<Fields>,
  options?: GuardOptions,
): MiddlewareHandler<PrincipalEnv<Fields>> {
  return guard(auth, options, (principal) => withSession(requireAnyPrincipal(principal)));
}

/**
 * Requires a caller like {@link requirePrincipal}, with one of the roles; refuses others with 403 `FORBIDDEN`. The role
 * of a session is read from its JWT, which is revoked when the role changes.
 */
export function requireRole<Fields extends UserFields>(
  auth: Auth<Fields>,
  roles: string | readonly string[],
  options?: GuardOptions,
): MiddlewareHandler<PrincipalEnv<Fields>> {
  return guard(auth, options, (principal) => withSession(requireRoleOf(principal, roles)));
}

function withSession<Fields extends UserFields>(principal: Principal<Fields>): PrincipalEnv<Fields>['Variables'] {
  return { principal, session: principal.session ?? null };
}

/**
 * Sets the variables that `check` returns, or responds with the error that it throws: the app may not know our errors.
 *
 * A cookie identifies the browser of a user, but does not prove that the user wants the request: a foreign page may
 * have sent it. So a write gets no principal before it has proven which page sent it.
 */
function guard<Fields extends UserFields, Variables extends SessionEnv<Fields>['Variables']>(
  auth: Auth<Fields>,
  { csrf: evidence }: GuardOptions = {},
  check: (principal: Principal<Fields> | null) => Variables,
): MiddlewareHandler<{ Variables: Variables }> {
  const refuse = errorHandler(auth.http.logger);
  const requireCsrf = csrf(csrfPolicyOf(auth, evidence), csrfExemption(auth));
  return async function loadPrincipal(c, next) {
    try {
      if (!readMethods.has(c.req.method)) await requireCsrf(c, async () => {});
      const { principal, session: current } = check(await principalOf(auth, c.req.raw.headers));
      c.set('principal', principal);
      c.set('session', current);
    } catch (error) {
      if (error instanceof CodedError) return refuse(error, c);
      throw error;
    }
    await next();
    return undefined;
  };
}

/**
 * Builds the check for requests that are exempt from CSRF protection: those with a valid bearer token, or a credential
 * of the app's own that says so, and none of our cookies. Browsers never add one on their own, so a foreign page can't
 * make one send it.
 */
export function csrfExemption(auth: Auth): (c: Context) => Promise<boolean> {
  return (c) => isCsrfExempt(auth, c.req.raw.headers);
}

/**
 * Creates the function that returns who a request is from, as far as its credential tells; null for an anonymous
 * caller. It does not check which page sent the request: `csrf` of `@x/http` does.
 */
export function createRequestCaller({
  dependencies: { sessions },
}: Auth): (c: { readonly req: Pick<Context['req'], 'raw'> }) => Awaitable<Principal | null> {
  return (c) => sessions.authenticator.authenticate(c.req.raw.headers);
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
