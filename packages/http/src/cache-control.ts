import type { MiddlewareHandler } from 'hono';

/** Sets `Cache-Control` on every answer below it, errors and redirects included. */
export function cacheControl(directives: 'no-store' | 'private, no-store'): MiddlewareHandler {
  return async function cacheControl(c, next) {
    c.header('Cache-Control', directives);
    await next();
  };
}
