import type { Context, MiddlewareHandler } from 'hono';
import type { AnswerHeaders } from './answer-headers.ts';

/** What is settled of an answer before any route is asked. */
export interface Frame {
  /** Names the request in its answer and in the log. */
  readonly requestId: string;
  /** What the answer carries beside the request's id, whatever its status. */
  readonly headers: AnswerHeaders;
  /** The answer that a renderer of ours has put the headers on, if one did. */
  rendered?: Response;
}

/**
 * Opens the frame of one request.
 *
 * @param options.requestId - the caller's own name for the request, which it keeps where it is well-formed
 * @param options.headers - constants, shared by many requests
 */
export function openFrame(options: { readonly requestId: string | null; readonly headers: AnswerHeaders }): Frame {
  const { requestId: stated, headers } = options;
  const requestId = stated !== null && wellFormed.test(stated) ? stated : newRequestId();
  return { requestId, headers };
}

/** Returns a name that no other request of any process has. Counting costs a tenth of drawing random bytes. */
function newRequestId(): string {
  // At the first request: some runtimes have no randomness before.
  processName ??= crypto.randomUUID().slice(-12);
  count += 1;
  return `${processName}-${count.toString(36)}`;
}

let processName: string | undefined;
let count = 0;

/**
 * Gives a request its frame, which every context of it finds. A middleware would do as well, but has to be awaited by
 * every request, and costs more than a short one; so does a `WeakMap`, whose entries each garbage collection visits.
 */
export function setFrame(request: FramedRequest, frame: Frame): void {
  request[frameKey] = frame;
}

/** Returns the frame of a request; undefined where nobody opened one. */
export function frameOf(c: Context): Frame | undefined {
  const request: FramedRequest = c.req.raw;
  return request[frameKey];
}

const frameKey: unique symbol = Symbol('frame');

interface FramedRequest extends Request {
  [frameKey]?: Frame;
}

/** Returns the id of a request; undefined where nobody opened a frame for it. */
export function requestIdOf(c: Context): string | undefined {
  return frameOf(c)?.requestId;
}

/** Puts on an answer what it lacks: redirects, files and whatever else no renderer of ours has made. */
export function completeAnswer(answer: Response, frame: Frame): Response {
  if (frame.rendered === answer) return answer;
  const missing = Object.entries(headersOf(frame)).filter(([name]) => !answer.headers.has(name));
  if (missing.length === 0) return answer;
  // A copy: the headers of some answers can't be changed.
  const headers = new Headers(answer.headers);
  for (const [name, value] of missing) headers.set(name, value);
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

/** Returns all that an answer carries. */
export function headersOf({ headers, requestId }: Frame): AnswerHeaders {
  return { ...headers, 'X-Request-Id': requestId };
}

/**
 * Opens a frame for the routes below it, or adds headers to the one that is open: every answer carries them, errors and
 * redirects included. For routes that are mounted in an app of somebody else's.
 */
export function answerHeaders(headers: AnswerHeaders): MiddlewareHandler {
  return async function answerHeaders(c, next) {
    const outer = frameOf(c);
    const frame = openFrame({
      requestId: outer?.requestId ?? c.req.header('x-request-id') ?? null,
      headers: { ...outer?.headers, ...headers },
    });
    setFrame(c.req.raw, frame);
    await next();
    c.res = completeAnswer(c.res, frame);
    if (outer) outer.rendered = c.res;
  };
}

const wellFormed = /^[\w.:=-]{1,128}$/;
