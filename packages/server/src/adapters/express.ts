import type { IncomingMessage, ServerResponse } from 'node:http';
import { isHealthCheck } from '../health-routes.ts';
import { type NodeServer, toNodeHandler } from './node-handler.ts';

export { sessionOf } from './page-session.ts';

/** A request of Express: that of Node, with the URL as it was sent. */
type ExpressRequest = IncomingMessage & { readonly originalUrl: string };

/**
 * Creates the middleware that serves everything below the `basePath` of a server (default `/api`) and its health checks,
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
  return function serveOrPass(request, response, next) {
    const [path = ''] = request.originalUrl.split('?', 1);
    if (path.startsWith(`${server.basePath}/`) || isHealthCheck(path)) handle(request, response);
    else next();
  };
}
