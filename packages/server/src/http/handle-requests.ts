import { type Awaitable, CodedError, type Logger } from '@x/errors';
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
import { getPath } from 'hono/utils/url';
import type { Admission } from '../admission/admission.ts';
import { fallbackResponse } from './fallback-responses.ts';
import { respondToHead } from './head-requests.ts';
import { measureResponse, type ServerMetrics } from './server-metrics.ts';

/** Handles one request; synchronously if nothing has to be awaited. */
export type RequestHandler = (request: Request, env?: object) => Awaitable<Response>;

/** The options that concern every request. */
export interface HandlingOptions {
  /** The public URL of the app; for https, `Strict-Transport-Security` is sent. */
  readonly baseUrl: string | undefined;
  /** The prefix of the paths of the auth routes. */
  readonly authPath: string;
  /** The names of the entities and services. */
  readonly entities: readonly string[];
  readonly admission: Admission;
  readonly logger: Logger;
  readonly metrics: ServerMetrics | undefined;
}

/**
 * Wraps an app so that each request has an id, each response its headers, and both a line in the log and a place in the
 * metrics. Refusals of the
 * admission and errors of handlers become responses, too.
 *
 * Security headers are sent everywhere. Responses of auth routes also have `no-store`, those of entities and of
 * notices `private, no-store`.
 */
export function handleRequests(
  app: Hono,
  { baseUrl, authPath, entities, admission, logger, metrics }: HandlingOptions,
): RequestHandler {
  const names = new Set(entities);
  const headersFor = createHeadersOfRequest(baseUrl, authPath, new Set([...entities, 'live']));
  const routeOf = createRouteOfRequest(authPath, names);
  return (request, env) => {
    const path = requestPath(request.url);
    const context = createResponseContext({
      requestId: request.headers.get('x-request-id'),
      headers: headersFor(request, path),
      isHead: request.method === 'HEAD',
    });
    const log = requestLog(logger, { requestId: context.requestId, path, method: request.method });
    const measure = metrics
      ? measureResponse(metrics, { method: request.method, route: routeOf(request, path) })
      : ignore;
    const complete = (response: Response): Response => {
      log(response.status);
      measure(response.status);
      return completeResponse(response, context);
    };
    const fail = (err: unknown): Response => {
      // The app renders the errors of its routes, so this error comes from the admission.
      if (err instanceof CodedError) return complete(fallbackResponse(err, context.headers));
      logger.error({ requestId: context.requestId, method: request.method, path, err }, 'request failed');
      return complete(fallbackResponse(fault(), context.headers));
    };
    const respond = (asked: Request): Awaitable<Response> => {
      setResponseContext(asked, context);
      try {
        const response = admission.run(asked, env, () => app.fetch(asked, env));
        return response instanceof Promise ? response.then(complete, fail) : complete(response);
      } catch (error) {
        return fail(error);
      }
    };
    return context.isHead ? respondToHead(request, respond) : respond(request);
  };
}

/** The error for a thrown value that is no `Error`, which Hono does not catch. */
function fault(): CodedError {
  return new CodedError('INTERNAL_ERROR', 'Something went wrong.');
}

/** Returns a function that finds the headers for a request. Its path is the one sent, still percent-encoded. */
function createHeadersOfRequest(
  baseUrl: string | undefined,
  authPath: string,
  ofCallers: ReadonlySet<string>,
): (request: Request, path: string) => ResponseHeaders {
  const everywhere = { ...securityHeaders, ...(baseUrl?.startsWith('https:') && transportSecurity) };
  const notStored = { ...everywhere, 'Cache-Control': 'no-store' };
  const ofCaller = { ...everywhere, 'Cache-Control': 'private, no-store' };
  return (request, path) => {
    if (ofCallers.has(entityIn(decodedPath(request, path)))) return ofCaller;
    return isEncoded(path) || path.startsWith(authPath) ? notStored : everywhere;
  };
}

/** Returns a function that finds the route of a request for the metrics, one of few whatever path is sent. */
function createRouteOfRequest(
  authPath: string,
  entities: ReadonlySet<string>,
): (request: Request, path: string) => string {
  return (request, path) => {
    const decoded = decodedPath(request, path);
    const entity = entityIn(decoded);
    if (entities.has(entity)) return `/api/${entity}`;
    return `${decoded}/`.startsWith(`${authPath}/`) ? authPath : 'other';
  };
}

/** Routes decode paths, so a percent-encoded path may be another spelling of an entity's path. */
function decodedPath(request: Request, path: string): string {
  return isEncoded(path) ? getPath(request) : path;
}

function isEncoded(path: string): boolean {
  return path.includes('%');
}

function entityIn(path: string): string {
  return path.startsWith('/api/') ? (path.slice(5).split('/', 1)[0] ?? '') : '';
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
