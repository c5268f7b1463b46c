import { CodedError } from '@x/errors';
import { csrfFailed, passesCsrfCheck, requestOrigin } from '@x/http/csrf';
import type { Auth } from './create-auth.ts';
import { csrfPolicyOf, isBearer, readMethods, requireCurrent, requireRoleOf } from './guard-checks.ts';
import { type CurrentSession, getSession } from './session/session.ts';
import type { UserFields } from './user/fields.ts';

export { withSetCookies } from './request/headers.ts';

/** What guards look at in a request. */
export type GuardedRequest = Pick<Request, 'method' | 'url' | 'headers'>;

/**
 * Returns the session of a request, as its JWT says; null for an anonymous caller.
 *
 * A cookie says whose browser it is, not that its owner wants what a foreign page asks for. So a write gets no session
 * before it has proven which page sent it.
 *
 * @throws CodedError `CSRF_FAILED`
 */
export async function session<Fields extends UserFields>(
  auth: Auth<Fields>,
  request: GuardedRequest,
): Promise<CurrentSession<Fields> | null> {
  if (!readMethods.has(request.method)) await requireCsrf(auth, request);
  return getSession(auth.dependencies.sessions, request.headers);
}

/**
 * Returns the session of a request like {@link session}; refuses an anonymous caller.
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
): Promise<CurrentSession<Fields>> {
  return requireCurrent(await session(auth, request));
}

/**
 * Returns the session of a request like {@link requireSession}, of a user with one of the roles. The role is read from
 * the JWT, which is revoked when the role changes.
 *
 * @throws CodedError `CSRF_FAILED`, `UNAUTHENTICATED`, `FORBIDDEN`
 */
export async function requireRole<Fields extends UserFields>(
  auth: Auth<Fields>,
  request: GuardedRequest,
  ...roles: readonly string[]
): Promise<CurrentSession<Fields>> {
  return requireRoleOf(await session(auth, request), roles);
}

/**
 * Refuses a request that no page of the app sent, unless it carries a valid bearer token and none of our cookies.
 *
 * @throws CodedError `CSRF_FAILED`
 */
export async function requireCsrf(auth: Auth, { url, headers }: GuardedRequest): Promise<void> {
  const origin = requestOrigin(headers, new URL(url).port || '80');
  if (!passesCsrfCheck(origin, csrfPolicyOf(auth)) && !(await isBearer(auth, headers))) throw csrfFailed();
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
