import { errorResponse } from '@x/auth/guards';
import { CodedError } from '@x/errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeHandler, type NodeServer, toNodeHandler } from './node-handler.ts';

export { requireSession, sessionOf } from './page-session.ts';

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

/**
 * Responds to the errors of `sessionOf`, `requireSession` and access contexts in the one error shape, and passes others
 * on. Use it after all routes, as Express asks of error handlers.
 *
 * @example
 * ```ts
 * app.use(errorHandler);
 * ```
 */
export function errorHandler(
  error: unknown,
  _request: IncomingMessage,
  response: ServerResponse,
  next: (error: unknown) => void,
): void {
  if (!(error instanceof CodedError) || response.headersSent) {
    next(error);
    return;
  }
  const { status, headers } = errorResponse(error);
  response.writeHead(status, Object.fromEntries(headers)).end(JSON.stringify({ error: error.toBody() }));
}
