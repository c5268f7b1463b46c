import type { IncomingMessage, ServerResponse } from 'node:http';
import { isHealthCheck } from '../http/health-routes.ts';
import { type NodeServer, toNodeHandler } from './node-handler.ts';

export { sessionOf } from './page-session.ts';

/** A request of Express: Node's request, with the original URL. */
type ExpressRequest = IncomingMessage & { readonly originalUrl: string };

/**
 * Creates the middleware that serves everything below `/api`, the auth routes wherever they are, and the health checks,
 * and passes other requests on. Give it no path; it may stand before or after `express.json()`.
 *
 * @example
 * ```ts
 * app.use(toExpressHandler(server));
 * ```
 */
export function toExpressHandler(
  server: NodeServer,
): (request: ExpressRequest, response: ServerResponse, next: () => void) => void {
  const handle = toNodeHandler(server);
  const prefixes = ['/api/', `${server.auth.http.basePath}/`];
  return function serveOrPass(request, response, next) {
    const [path = ''] = request.originalUrl.split('?', 1);
    const isServed = prefixes.some((prefix) => path.startsWith(prefix)) || isHealthCheck(path);
    if (isServed) handle(request, response);
    else next();
  };
}
