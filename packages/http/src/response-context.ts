import type { Context, MiddlewareHandler } from 'hono';

/** Headers by name, each with one value. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** Headers for every response, with any status. */
export const securityHeaders: ResponseHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** An additional header for apps reached over https: `Strict-Transport-Security` for a year. */
export const transportSecurity: ResponseHeaders = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
};

/** The part of a response that is decided before any route runs. */
export interface ResponseContext {
  /** Identifies the request in its response and in the log. */
  readonly requestId: string;
  /** The headers of the response besides the request id, with any status. */
  readonly headers: ResponseHeaders;
  /** Whether the client sent HEAD: the routes get it as GET. */
  readonly isHead: boolean;
  /** The response that one of our renderers has already added the headers to, if any. */
  rendered?: Response | undefined;
}

/**
 * Creates the context of one request.
 *
 * @param options.requestId - the caller's own id for the request, used if it is well-formed
 * @param options.headers - constants, shared by many requests
 * @param options.isHead - default false
 */
export function createResponseContext(options: {
  readonly requestId: string | null;
  readonly headers: ResponseHeaders;
  readonly isHead?: boolean | undefined;
}): ResponseContext {
  const { requestId: stated, headers, isHead = false } = options;
  const requestId = stated !== null && wellFormed.test(stated) ? stated : newRequestId();
  return { requestId, headers, isHead };
}

const wellFormed = /^[\w.:=-]{1,128}$/;

/** Returns an id that no other request of any process has. Counting costs a tenth of generating random bytes. */
function newRequestId(): string {
  // At the first request, because some runtimes have no randomness before.
  processName ??= crypto.randomUUID().slice(-12);
  count += 1;
  return `${processName}-${count.toString(36)}`;
}

let processName: string | undefined;
let count = 0;

/**
 * Attaches the context to a request, where every route finds it. A middleware would have to be awaited by every
 * request, which costs more than a short request itself; so does a `WeakMap`, whose entries every garbage collection
 * visits.
 */
export function setResponseContext(request: RequestWithContext, context: ResponseContext): void {
  request['~responseContext'] = context;
}

/** Returns the response context of a request; undefined if it has none. */
export function responseContextOf(c: Context): ResponseContext | undefined {
  const request: RequestWithContext = c.req.raw;
  return request['~responseContext'];
}

/** A request with its context, by a name that another copy of this package finds, too. */
interface RequestWithContext extends Request {
  '~responseContext'?: ResponseContext;
}

/** Returns the id of a request; undefined if it has no response context. */
export function requestIdOf(c: Context): string | undefined {
  return responseContextOf(c)?.requestId;
}

/**
 * Adds the headers that a response lacks, because none of our renderers made it, such as a redirect or a file. Once for
 * each context, when its response is about to be sent.
 */
export function completeResponse(response: Response, context: ResponseContext): Response {
  const isComplete = context.rendered === response;
  // As long as its client reads, the request is kept, and would keep the whole response beside the part that is being
  // sent.
  context.rendered = undefined;
  if (isComplete) return response;
  const missing = Object.entries(headersOf(context)).filter(([name]) => !response.headers.has(name));
  if (missing.length === 0) return response;
  // A copy, because the headers of some responses are immutable.
  const headers = new Headers(response.headers);
  for (const [name, value] of missing) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** Returns all headers that the context adds. */
export function headersOf({ headers, requestId }: ResponseContext): ResponseHeaders {
  return { ...headers, 'X-Request-Id': requestId };
}

/**
 * Creates the response context for the routes below it, or adds headers to an outer one: every response has them,
 * including errors and redirects. For routes that are mounted in another app.
 */
export function responseHeaders(headers: ResponseHeaders): MiddlewareHandler {
  return async function addResponseHeaders(c, next) {
    const outer = responseContextOf(c);
    const context = createResponseContext({
      requestId: outer?.requestId ?? c.req.header('x-request-id') ?? null,
      headers: { ...outer?.headers, ...headers },
      isHead: outer?.isHead,
    });
    setResponseContext(c.req.raw, context);
    await next();
    c.res = completeResponse(c.res, context);
    if (outer) outer.rendered = c.res;
  };
}
