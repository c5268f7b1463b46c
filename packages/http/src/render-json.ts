import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ResponseHeaders } from './answer-headers.ts';
import { responseContextOf, headersOf } from './frame.ts';

/** What a response may have besides its body. */
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
export function renderJson(
  c: Context,
  body: object | string,
  { status = 200, headers, cookies = [] }: JsonResponseOptions = {},
): Response {
  const frame = responseContextOf(c);
  const all = { 'Content-Type': 'application/json; charset=utf-8', ...(frame && headersOf(frame)), ...headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = new Response(text, { status, headers: all });
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  if (frame) frame.rendered = response;
  return response;
}
