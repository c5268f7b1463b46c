import { type NodeHandler, type NodeServer, toNodeHandler } from './node-handler.ts';

export { sessionOf } from './page-session.ts';

/**
 * Creates the middleware that serves the requests for the server, and passes on all others. Give it no path; it may
 * stand before or after `express.json()`.
 *
 * @example
 * ```ts
 * app.use(toExpressHandler(server));
 * ```
 */
export function toExpressHandler(server: NodeServer): NodeHandler {
  return toNodeHandler(server);
}
