import type { CurrentSession, UserFields } from '@x/auth';
import { errorResponse, type GuardOptions } from '@x/auth/guards';
import { CodedError } from '@x/errors';
import type { Context, MiddlewareHandler } from 'hono';
import type { Server } from '../create-server.ts';
import { type AuthOfServer, getOwnSession } from './page-session.ts';

/**
 * Creates the middleware that serves the requests for the server in a Hono app of your own, and passes on all others.
 *
 * @example
 * ```ts
 * app.use(toHonoMiddleware(server));
 * ```
 */
export function toHonoMiddleware({ fetch, serves }: Pick<Server, 'fetch' | 'serves'>): MiddlewareHandler {
  return async function serveOrPass(c, next) {
    if (serves(c.req.url)) return fetch(c.req.raw, c.env);
    await next();
    return undefined;
  };
}

/**
 * Returns the session of a request to a route of yours, refreshed if need be, and sets the cookies of its response;
 * null for a visitor. A write has to come from a page of the app.
 *
 * @throws CodedError `CSRF_FAILED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`, which Hono responds with in the one error
 * shape
 */
export async function sessionOf<Fields extends UserFields>(
  server: AuthOfServer<Fields>,
  c: Context,
  options?: GuardOptions,
): Promise<CurrentSession<Fields> | null> {
  const { session, setCookie } = await getOwnSession(server, c.req.raw, options).catch(rethrowResponding);
  for (const cookie of setCookie) c.header('Set-Cookie', cookie, { append: true });
  return session;
}

/** Hono responds to errors that have this method by it, unless the app handles errors otherwise. */
function rethrowResponding(error: unknown): never {
  if (error instanceof CodedError) Object.assign(error, { getResponse: () => errorResponse(error) });
  throw error;
}
