import { CodedError } from '@x/errors';
import { csrfFailed, passesCsrfCheck, requestOrigin } from '@x/http/csrf';
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
import type { UserFields } from './user/fields.ts';

export type { GuardOptions } from './guard-checks.ts';
export { withSetCookies } from './request/headers.ts';

/** The parts of a request that guards read. */
export type GuardedRequest = Pick<Request, 'method' | 'url' | 'headers'>;

/**
 * Returns who a request is from, as the credential says: a JWT of a session, or a credential of the app's own; null for
 * an anonymous caller.
 *
 * A cookie identifies the browser of a user, but does not prove that the user wants the request: a foreign page may
 * have sent it. So a write gets no principal before it has proven which page sent it.
 *
 * @throws CodedError `CSRF_FAILED`
 */
export async function principal<Fields extends UserFields>(
  auth: Auth<Fields>,
  request: GuardedRequest,
  options?: GuardOptions,
): Promise<Principal<Fields> | null> {
  if (!readMethods.has(request.method)) await requireCsrf(auth, request, options);
  return principalOf(auth, request.headers);
}

/**
 * Returns who a request is from like {@link principal}; refuses an anonymous caller.
 *
 * @throws CodedError `CSRF_FAILED`, `UNAUTHENTICATED`
 */
export async function requirePrincipal<Fields extends UserFields>(
  auth: Auth<Fields>,
  request: GuardedRequest,
  options?: GuardOptions,
): Promise<Principal<Fields>> {
  return requireAnyPrincipal(await principal(auth, request, options));
}

/**
 * Returns the session of a request, as its JWT says; null for a caller without one. Otherwise like {@link principal}.
 *
 * @throws CodedError `CSRF_FAILED`
 */
export async function session<Fields extends UserFields>(
  auth: Auth<Fields>,
  request: GuardedRequest,
  options?: GuardOptions,
): Promise<CurrentSession<Fields> | null> {
  return (await principal(auth, request, options))?.session ?? null;
}

/**
 * Returns the session of a request like {@link session}; refuses a caller without one.
 *
 * @throws CodedError `CSRF_FAILED`, `UNAUTHENTICATED`
 * @example
 * ```ts
 * async function POST(request: Request): Promise<Response> {
 *   try {
 *     const { user } = await requireSession(auth, request);
 *     return Response.json({ by: user.email });
 *   } catch (error) {
 *     return errorResponse(error);
 *   }
 * }
 * ```
 */
export async function requireSession<Fields extends UserFields>(
  auth: Auth<Fields>,
  request: GuardedRequest,
  options?: GuardOptions,
): Promise<CurrentSession<Fields>> {
  return requireSessionOf(await principal(auth, request, options));
}

/**
 * Returns who a request is from like {@link requirePrincipal}, with one of the roles. The role of a session is read
 * from its JWT, which is revoked when the role changes.
 *
 * @throws CodedError `CSRF_FAILED`, `UNAUTHENTICATED`, `FORBIDDEN`
 */
export async function requireRole<Fields extends UserFields>(
  auth: Auth<Fields>,
  request: GuardedRequest,
  roles: string | readonly string[],
  options?: GuardOptions,
): Promise<Principal<Fields>> {
  return requireRoleOf(await principal(auth, request, options), roles);
}

/**
 * Refuses a request that no page of the app sent, unless it authenticates by a credential that browsers never send on
 * their own, such as a bearer token, and has none of our cookies.
 *
 * @throws CodedError `CSRF_FAILED`
 */
export async function requireCsrf(
  auth: Auth,
  { url, headers }: GuardedRequest,
  { csrf }: GuardOptions = {},
): Promise<void> {
  const [origin, policy] = [requestOrigin(headers, new URL(url).port || '80'), csrfPolicyOf(auth, csrf)];
  if (!passesCsrfCheck(origin, policy) && !(await isCsrfExempt(auth, headers))) throw csrfFailed(origin, policy);
}

/**
 * Refuses a request whose origin is not that of a page of the app. That is not enough for most writes; it is for those
 * that have no header of ours, and whose framework compares the origin, too, such as the Server Actions of Next.
 *
 * @throws CodedError `CSRF_FAILED`
 */
export function requireOwnOrigin(auth: Auth, { url, headers }: Omit<GuardedRequest, 'method'>): void {
  const [origin, policy] = [requestOrigin(headers, new URL(url).port || '80'), csrfPolicyOf(auth, 'none')];
  if (!passesCsrfCheck(origin, policy)) throw csrfFailed(origin, policy);
}

/**
 * Responds to an error of the guards, or any other with a code, in the one error shape.
 *
 * @throws any other error, as it is
 */
export function errorResponse(error: unknown): Response {
  if (!(error instanceof CodedError)) throw error;
  const { retryAfter } = error.extras;
  const headers = { 'Cache-Control': 'no-store', ...(retryAfter !== undefined && { 'Retry-After': `${retryAfter}` }) };
  return Response.json({ error: error.toBody() }, { status: error.status, headers });
}
