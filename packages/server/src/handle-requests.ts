import type { Logger } from '@x/errors';
import {
  completeResponse,
  createResponseContext,
  requestPath,
  type ResponseContext,
  type ResponseHeaders,
  securityHeaders,
  setResponseContext,
  transportSecurity,
} from '@x/http';
import type { Hono } from 'hono';

/** Handles one request; synchronously if nothing has to be awaited. */
export type RequestHandler = (request: Request, env?: object) => Response | Promise<Response>;

/** What all requests of a server share. */
interface HandlingOptions {
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

/** What the headers of a path depend on. */
interface HeaderOptions {
  /** The public URL of the app; for https, `Strict-Transport-Security` is sent. */
  readonly baseUrl: string | undefined;
  /** The names of the entities and services. */
  readonly entities: readonly string[];
}

/**
 * Creates the function that returns the headers for every response below a path: security headers everywhere; below
 * `/api/auth` also `no-store`, and below the paths of entities `private, no-store`.
 */
export function createHeadersOfPath({ baseUrl, entities }: HeaderOptions): (path: string) => ResponseHeaders {
  const everywhere = { ...securityHeaders, ...(baseUrl?.startsWith('https:') && transportSecurity) };
  const notStored = { ...everywhere, 'Cache-Control': 'no-store' };
  const ofCaller = { ...everywhere, 'Cache-Control': 'private, no-store' };
  const names: ReadonlySet<string> = new Set(entities);
  return (path) => {
    if (names.has(entityIn(path))) return ofCaller;
    return mayBeAuth(path) ? notStored : everywhere;
  };
}

/** A percent-encoded path may be another spelling of one below `/api/auth`, or of an entity's. */
function mayBeAuth(path: string): boolean {
  return path.startsWith('/api/auth') || path.includes('%');
}

function entityIn(path: string): string {
  return path.startsWith('/api/') ? (path.slice(5).split('/', 1)[0] ?? '') : '';
}
