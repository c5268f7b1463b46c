import type { Context, MiddlewareHandler } from 'hono';
import { renderMethodNotAllowed } from './render.ts';
import { responseContextOf } from './response-context.ts';

/** The guard of a GET that has effects. */
export interface HeadRefusal extends MiddlewareHandler {
  readonly refusesHead: true;
}

/**
 * Creates the guard of a GET that has effects, such as spending a code: it responds to HEAD with 405. Link previews and
 * scanners send HEAD, and rely on it being safe (RFC 9110 section 9.2.1).
 *
 * @param methods - those of the path, for `Allow`
 */
export function refuseHead(methods: readonly string[] = ['GET']): HeadRefusal {
  const guard: MiddlewareHandler = async (c, next) => (isHead(c) ? renderMethodNotAllowed(c, methods) : next());
  return Object.assign(guard, { refusesHead: true as const });
}

/** Says whether a handler is the guard of {@link refuseHead}, of this copy of the package or another. */
export function refusesHead(handler: object): handler is HeadRefusal {
  return 'refusesHead' in handler;
}

function isHead(c: Context): boolean {
  return c.req.method === 'HEAD' || responseContextOf(c)?.isHead === true;
}
