import { CodedError, type Logger, silentLogger } from '@x/errors';
import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import type { ResponseHeaders } from './answer-headers.ts';
import { requestIdOf } from './frame.ts';
import { type JsonResponseOptions, renderJson } from './render-json.ts';
import { requestPath } from './request-path.ts';

/** Responds with the one error shape, and with `Retry-After` if the error says when a retry can succeed. */
export function renderError(c: Context, error: CodedError, answer: Omit<JsonResponseOptions, 'status'> = {}): Response {
  const headers = { ...retryHeader(error.extras.retryAfter), ...answer.headers };
  return renderJson(c, { error: error.toBody() }, { ...answer, status: error.status, headers });
}

/**
 * Creates the handler for everything that a route throws. Coded errors keep their code; anything else becomes an opaque
 * `INTERNAL_ERROR` whose details are logged under the request id. A 403 is logged as a warning with its code, never
 * with headers or the body.
 */
export function errorHandler(logger: Logger = silentLogger): ErrorHandler {
  return function handleError(error, c) {
    const coded = toCodedError(error);
    if (coded.status >= 500) logger.error({ ...requestFacts(c), err: coded.cause ?? coded }, 'request failed');
    if (coded.status === 403) logger.warn({ ...requestFacts(c), code: coded.code }, 'request refused');
    return renderError(c, coded);
  };
}

/** Responds to an unknown path. */
export const handleNotFound: NotFoundHandler = (c) => renderError(c, new CodedError('NOT_FOUND', 'Not found.'));

/** Responds to a known path requested with another method. */
export function renderMethodNotAllowed(c: Context, methods: readonly string[]): Response {
  const error = new CodedError('METHOD_NOT_ALLOWED', 'This path does not support this method.');
  return renderError(c, error, { headers: { Allow: methods.join(', ') } });
}

function retryHeader(seconds: number | undefined): ResponseHeaders {
  return seconds === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) };
}

function toCodedError(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  return new CodedError('INTERNAL_ERROR', 'Something went wrong.', { cause: error });
}

function requestFacts(c: Context): object {
  return { requestId: requestIdOf(c), method: c.req.method, path: requestPath(c.req.url) };
}
