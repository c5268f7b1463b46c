import { CodedError, type Logger, notFound, toLogger } from '@x/errors';
import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { headersOf, requestIdOf, responseContextOf, type ResponseHeaders } from './response-context.ts';

/** The parts that a response may have besides its body. */
export interface JsonResponseOptions {
  /** Default 200. */
  readonly status?: ContentfulStatusCode;
  readonly headers?: ResponseHeaders;
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[];
}

/**
 * Responds with JSON, declared as UTF-8: not every client takes RFC 8259 section 8.1 for granted.
 *
 * @param body - the value, or its text if it is already serialized
 */
export function renderJson(c: Context, body: object | string, options: JsonResponseOptions = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return respond(c, text.length > maxCharacters ? encoder.encode(text) : text, options);
}

const encoder = new TextEncoder();

/** A longer text is sent as bytes: while its client does not read, they take half as much, and none of V8's heap. */
const maxCharacters = 2 ** 15;

/** Responds with content in the type that its headers name, or else with JSON. */
export function respond(
  c: Context,
  content: string | Uint8Array<ArrayBuffer>,
  { status = 200, headers, cookies = [] }: JsonResponseOptions,
): Response {
  const context = responseContextOf(c);
  const all = { 'Content-Type': 'application/json; charset=utf-8', ...(context && headersOf(context)), ...headers };
  const response = new Response(content, { status, headers: all });
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  if (context) context.rendered = response;
  return response;
}

/** Responds with the one error shape, and with `Retry-After` if the error says when a retry can succeed. */
export function renderError(
  c: Context,
  error: CodedError,
  options: Omit<JsonResponseOptions, 'status'> = {},
): Response {
  const headers = { ...retryHeader(error.extras.retryAfter), ...options.headers };
  return renderJson(c, { error: error.toBody() }, { ...options, status: error.status, headers });
}

/**
 * Creates the handler for everything that a route throws. Coded errors keep their code; anything else becomes an opaque
 * `INTERNAL_ERROR` whose details are logged under the request id. A refusal, because of a 403 or because too many
 * others are waiting, is logged as a warning with its code, never with headers or the body.
 */
export function errorHandler(logger: Logger = toLogger(undefined)): ErrorHandler {
  return function handleError(error, c) {
    const coded = toCodedError(error);
    if (isRefusal(coded)) logger.warn({ ...requestFacts(c), code: coded.code }, 'request refused');
    else if (coded.status >= 500) logger.error({ ...requestFacts(c), err: coded.cause ?? coded }, 'request failed');
    return renderError(c, coded);
  };
}

function isRefusal({ status, extras }: CodedError): boolean {
  return status === 403 || extras.reason === 'too_busy';
}

/** Responds to an unknown path. */
export const handleNotFound: NotFoundHandler = (c) => renderError(c, notFound());

/** Responds to a known path requested with another method. */
export function renderMethodNotAllowed(c: Context, methods: readonly string[]): Response {
  const error = new CodedError('METHOD_NOT_ALLOWED', 'This path does not support this method.');
  return renderError(c, error, { headers: { Allow: methods.join(', ') } });
}

/**
 * Says whether an `If-None-Match` header names an `ETag`. The comparison is weak, so a tag that a proxy weakened still
 * matches. `*` names any, alone and as it is; a header that is no list of tags names none.
 *
 * @see RFC 9110 sections 8.8.3 and 13.1.2
 */
export function matchesEntityTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (anyTag.test(header)) return true;
  return listOfTags.test(header) && Array.from(header.matchAll(opaqueTag), ([each]) => each).includes(tag);
}

const anyTag = /^[\t ]*\*[\t ]*$/;
const listOfTags = /^[\t ,]*(?:W\/)?"[^"]*"(?:[\t ]*,[\t ,]*(?:W\/)?"[^"]*")*[\t ,]*$/;
const opaqueTag = /"[^"]*"/g;

/** Returns the path of a URL as it was sent, still percent-encoded and without query and fragment: safe to log. */
export function requestPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?', start);
  const fragment = url.indexOf('#', start);
  const end = query === -1 || (fragment !== -1 && fragment < query) ? fragment : query;
  return url.slice(start, end === -1 ? undefined : end);
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
