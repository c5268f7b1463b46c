import type { Context, MiddlewareHandler } from 'hono';

/** Gives every request an id, which the answer and the log carry: the caller's own where it is well-formed. */
export function requestId(): MiddlewareHandler {
  return async function requestId(c, next) {
    const stated = c.req.header('x-request-id');
    c.set('requestId', stated !== undefined && wellFormed.test(stated) ? stated : crypto.randomUUID());
    await next();
  };
}

/** Returns the id of a request; undefined where no {@link requestId} stands before the route. */
export function requestIdOf(c: Context): string | undefined {
  return c.get('requestId');
}

const wellFormed = /^[\w.:=-]{1,128}$/;
