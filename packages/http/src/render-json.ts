import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Answers with JSON, and says that it is UTF-8: not every reader takes RFC 8259 section 8.1 for granted. */
export function renderJson(c: Context, body: object, status?: ContentfulStatusCode): Response {
  return c.json(body, status, contentType);
}

const contentType = { 'Content-Type': 'application/json; charset=utf-8' };
