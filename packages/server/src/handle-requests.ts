import type { Awaitable, Logger } from '@x/errors';
import {
  completeResponse,
  createResponseContext,
  requestPath,
  type ResponseHeaders,
  securityHeaders,
  setResponseContext,
  transportSecurity,
} from '@x/http';
import type { Hono } from 'hono';

/** Handles one request; synchronously if nothing has to be awaited. */
export type RequestHandler = (request: Request, env?: object) => Awaitable<Response>;

/** What the handling of all requests depends on. */
export interface HandlingOptions {
  /** The public URL of the app; for https, `Strict-Transport-Security` is sent. */
  readonly baseUrl: string | undefined;
  /** The names of the entities and services. */
  readonly entities: readonly string[];
  readonly logger: Logger;
}

/**
 * Wraps an app so that each request has an id, each response its headers, and both a line in the log.
 *
 * Security headers are sent everywhere; below `/api/auth` also `no-store`, and below the paths of entities
 * `private, no-store`.
 */
export function handleRequests(app: Hono, { baseUrl, entities, logger }: HandlingOptions): RequestHandler {
  const headersOf = createHeadersOfPath(baseUrl, new Set(entities));
  return (request, env) => {
    const path = requestPath(request.url);
    const context = createResponseContext({ requestId: request.headers.get('x-request-id'), headers: headersOf(path) });
    const log = requestLog(logger, { requestId: context.requestId, path, method: request.method });
    const complete = (response: Response): Response => {
      log(response.status);
      return completeResponse(response, context);
    };
    setResponseContext(request, context);
    const response = app.fetch(request, env);
    return response instanceof Promise ? response.then(complete) : complete(response);
  };
}

/** Paths are given as they were sent, still percent-encoded. */
function createHeadersOfPath(
  baseUrl: string | undefined,
  entities: ReadonlySet<string>,
): (path: string) => ResponseHeaders {
  const everywhere = { ...securityHeaders, ...(baseUrl?.startsWith('https:') && transportSecurity) };
  const notStored = { ...everywhere, 'Cache-Control': 'no-store' };
  const ofCaller = { ...everywhere, 'Cache-Control': 'private, no-store' };
  return (path) => {
    if (entities.has(entityIn(path))) return ofCaller;
    return mayBeAuth(path) ? notStored : everywhere;
  };
}

function entityIn(path: string): string {
  return path.startsWith('/api/') ? (path.slice(5).split('/', 1)[0] ?? '') : '';
}

/** A percent-encoded path may be another spelling of one below `/api/auth`, or of an entity's. */
function mayBeAuth(path: string): boolean {
  return path.startsWith('/api/auth') || path.includes('%');
}

/** Logs a request without its query, headers or body, which may contain secrets. */
function requestLog(
  logger: Logger,
  request: { readonly requestId: string; readonly method: string; readonly path: string },
): (status: number) => void {
  if (logger.isLevelEnabled?.('debug') === false) return ignore;
  const startedAt = performance.now();
  return (status) => {
    const durationMs = Math.round(performance.now() - startedAt);
    logger.debug({ ...request, status, durationMs }, 'request');
  };
}

function ignore(): void {}
