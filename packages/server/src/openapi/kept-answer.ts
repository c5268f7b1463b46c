import { matchesEntityTag } from '@x/http';
import type { Context } from 'hono';

/** An answer that is the same for everybody until the server stops, and is made once. */
export interface Kept {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Say what the body is. */
  readonly bodyHeaders: Headers;
  /** Hold for an answer without the body, too. */
  readonly headers: Headers;
  readonly tag: string;
}

type Headers = Readonly<Record<string, string>>;

/** What is to be kept. */
export interface KeptContent {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly encoding?: 'gzip';
  readonly headers?: Headers;
}

/** Keeps an answer, under the hash of its body. */
export async function keep({ body: content, type, encoding, headers }: KeptContent): Promise<Kept> {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  const tag = `"${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
  return {
    body,
    tag,
    bodyHeaders: { 'Content-Type': type, ...(encoding && { 'Content-Encoding': encoding }) },
    headers: { ...headers, 'Cache-Control': 'no-cache', ETag: tag },
  };
}

/** Answers with what is kept, or with 304 where the client has it (RFC 9110 section 13.1.2). */
export function answerKept(c: Context, { body, bodyHeaders, headers, tag }: Kept): Response {
  return matchesEntityTag(c.req.header('If-None-Match'), tag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, ...bodyHeaders } });
}
