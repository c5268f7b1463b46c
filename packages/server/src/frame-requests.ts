import type { Logger } from '@x/errors';
import {
  type ResponseHeaders,
  completeResponse,
  type ResponseContext,
  createResponseContext,
  requestPath,
  setResponseContext,
} from '@x/http';
import type { Hono } from 'hono';

/** Handles one request; synchronously if nothing has to be awaited. */
export type RequestHandler = (request: Request, env?: object) => Response | Promise<Response>;

/** What all requests of a server share. */
export interface HandlingOptions {
  /** Returns the headers for every response below a path, given as it was sent. */
  readonly headersOf: (path: string) => ResponseHeaders;
  readonly logger: Logger;
}

/** Wraps an app so that each request has an id, each response its headers, and both a line in the log. */
export function handleRequests(app: Hono, { headersOf, logger }: HandlingOptions): RequestHandler {
  return (request, env) => {
    const path = requestPath(request.url);
    const frame = createResponseContext({ requestId: request.headers.get('x-request-id'), headers: headersOf(path) });
    const log = requestLog(logger, { frame, path, method: request.method });
    const finish = (answer: Response): Response => {
      log(answer.status);
      return completeResponse(answer, frame);
    };
    setResponseContext(request, frame);
    const answer = app.fetch(request, env);
    return answer instanceof Promise ? answer.then(finish) : finish(answer);
  };
}

interface LoggedRequest {
  readonly frame: ResponseContext;
  readonly method: string;
  readonly path: string;
}

/** Logs a request without its query, headers or body, which may hold secrets. */
function requestLog(logger: Logger, { frame, method, path }: LoggedRequest): (status: number) => void {
  if (logger.isLevelEnabled?.('debug') === false) return ignore;
  const startedAt = performance.now();
  return (status) => {
    const durationMs = Math.round(performance.now() - startedAt);
    logger.debug({ requestId: frame.requestId, method, path, status, durationMs }, 'request');
  };
}

function ignore(): void {}
