import { CodedError } from '@x/errors';
import { errorHandler } from '@x/http';
import type { MiddlewareHandler } from 'hono';
import type { Auth } from '../create-auth.ts';
import { type CurrentSession, getSession, unauthenticated } from '../session/get-session.ts';

/** What {@link session} sets on the context of a request. */
export interface SessionEnv {
  Variables: {
    /** Null for an anonymous caller. */
    session: CurrentSession | null;
  };
}

/** What {@link requireSession} and {@link requireRole} set on the context of a request. */
export interface RequiredSessionEnv {
  Variables: { session: CurrentSession };
}

/**
 * Loads the caller's session into `c.var.session`, judged by the JWT alone: an invalid or expired one is an anonymous
 * caller.
 *
 * @example
 * ```ts
 * app.get('/hello', session(auth), (c) => c.text(`Hello ${c.var.session?.user.email ?? 'stranger'}`));
 * ```
 */
export function session({ context: auth }: Auth): MiddlewareHandler<SessionEnv> {
  return async function session(c, next) {
    c.set('session', await getSession(auth, c.req.raw.headers));
    await next();
  };
}

/**
 * Hands on the caller's session in `c.var.session`; 401 `UNAUTHENTICATED` for an anonymous caller.
 */
export function requireSession({ context: auth }: Auth): MiddlewareHandler<RequiredSessionEnv> {
  const refuse = errorHandler(auth.logger);
  return async function requireSession(c, next) {
    const current = await getSession(auth, c.req.raw.headers);
    if (current === null) return refuse(unauthenticated(), c);
    c.set('session', current);
    await next();
    return undefined;
  };
}

/**
 * Lets only users with one of the roles pass, like {@link requireSession}; 403 `FORBIDDEN` for any other user. The role
 * is that of the JWT, which a change of the role outdates.
 */
export function requireRole(
  { context: auth }: Auth,
  ...roles: readonly string[]
): MiddlewareHandler<RequiredSessionEnv> {
  const allowed: ReadonlySet<string> = new Set(roles);
  const refuse = errorHandler(auth.logger);
  return async function requireRole(c, next) {
    const current = await getSession(auth, c.req.raw.headers);
    if (current === null) return refuse(unauthenticated(), c);
    if (!allowed.has(current.user.role))
      return refuse(new CodedError('FORBIDDEN', 'Your role does not allow this.'), c);
    c.set('session', current);
    await next();
    return undefined;
  };
}
