import { matchesEntityTag } from '@x/http';
import type { Context } from 'hono';

/** A response that is the same for everybody until the server stops, and is generated once. */
export interface CachedResponse {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Headers about the body. */
  readonly bodyHeaders: Headers;
  /** Headers that also belong to a response without the body. */
  readonly headers: Headers;
  readonly tag: string;
}

type Headers = Readonly<Record<string, string>>;

/** The content to cache. */
export interface CachedContent {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly encoding?: 'gzip';
  readonly headers?: Headers;
}

/** Caches a response, with the hash of its body as `ETag`. */
export async function cacheResponse({
  body: content,
  type,
  encoding,
  headers,
}: CachedContent): Promise<CachedResponse> {
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

/** Responds with the cached content, or with 304 if the client has it (RFC 9110 section 13.1.2). */
export function sendCached(c: Context, { body, bodyHeaders, headers, tag }: CachedResponse): Response {
  return matchesEntityTag(c.req.header('If-None-Match'), tag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, ...bodyHeaders } });
}

/** Says whether a client accepts gzip: by name or by `*`, with a weight above 0 (RFC 9110 section 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  const codings = (header ?? '').toLowerCase().split(',');
  const weights = new Map(
    codings.map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))];
    }),
  );
  return weights.get('gzip') ?? weights.get('*') ?? false;
}
