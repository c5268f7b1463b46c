import type { Context, MiddlewareHandler } from 'hono';
import type { ResponseHeaders } from './answer-headers.ts';

/** The part of a response that is decided before any route runs. */
export interface ResponseContext {
  /** Identifies the request in its response and in the log. */
  readonly requestId: string;
  /** The headers of the response besides the request id, whatever its status. */
  readonly headers: ResponseHeaders;
  /** The response that one of our renderers has already added the headers to, if any. */
  rendered?: Response;
}

/**
 * Opens the frame of one request.
 *
 * @param options.requestId - the caller's own id for the request, used if it is well-formed
 * @param options.headers - constants, shared by many requests
 */
export function createResponseContext(options: {
  readonly requestId: string | null;
  readonly headers: ResponseHeaders;
}): ResponseContext {
  const { requestId: stated, headers } = options;
  const requestId = stated !== null && wellFormed.test(stated) ? stated : newRequestId();
  return { requestId, headers };
}

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
 * Attaches the frame to a request, where every context finds it. A middleware would have to be awaited by every
 * request, which costs more than a short request itself; so does a `WeakMap`, whose entries every garbage collection
 * visits.
 */
export function setResponseContext(request: FramedRequest, frame: ResponseContext): void {
  request[frameKey] = frame;
}

/** Returns the frame of a request; undefined if none was opened. */
export function responseContextOf(c: Context): ResponseContext | undefined {
  const request: FramedRequest = c.req.raw;
  return request[frameKey];
}

const frameKey: unique symbol = Symbol('frame');

interface FramedRequest extends Request {
  [frameKey]?: ResponseContext;
}

/** Returns the id of a request; undefined if no frame was opened for it. */
export function requestIdOf(c: Context): string | undefined {
  return responseContextOf(c)?.requestId;
}

/** Adds the headers that a response lacks, because none of our renderers made it, such as a redirect or a file. */
export function completeResponse(answer: Response, frame: ResponseContext): Response {
  if (frame.rendered === answer) return answer;
  const missing = Object.entries(headersOf(frame)).filter(([name]) => !answer.headers.has(name));
  if (missing.length === 0) return answer;
  // A copy, because the headers of some responses are immutable.
  const headers = new Headers(answer.headers);
  for (const [name, value] of missing) headers.set(name, value);
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

/** Returns all headers of the frame. */
export function headersOf({ headers, requestId }: ResponseContext): ResponseHeaders {
  return { ...headers, 'X-Request-Id': requestId };
}

/**
 * Opens a frame for the routes below it, or adds headers to an open one: every response has them, including errors and
 * redirects. For routes that are mounted in another app.
 */
export function responseHeaders(headers: ResponseHeaders): MiddlewareHandler {
  return async function answerHeaders(c, next) {
    const outer = responseContextOf(c);
    const frame = createResponseContext({
      requestId: outer?.requestId ?? c.req.header('x-request-id') ?? null,
      headers: { ...outer?.headers, ...headers },
    });
    setResponseContext(c.req.raw, frame);
    await next();
    c.res = completeResponse(c.res, frame);
    if (outer) outer.rendered = c.res;
  };
}

const wellFormed = /^[\w.:=-]{1,128}$/;
