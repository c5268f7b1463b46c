import type { Awaitable } from '@x/errors';
import type { Context } from 'hono';
import { compress, contentCodings, decompress } from './compress.ts';
import { type ContentCoding, negotiateCoding } from './content-coding.ts';
import { matchesEntityTag, respond } from './render.ts';
import type { ResponseHeaders } from './response-context.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Content that is the same for all clients until the server stops. */
export interface StaticContent {
  /** Its `Content-Type`. */
  readonly type: string;
  /** Its other headers, such as {@link immutable}. */
  readonly headers: ResponseHeaders;
  /** Returns its bytes in a coding. It has to keep the results of work: every request calls this. */
  readonly read: (coding: ContentCoding) => Awaitable<Bytes>;
}

/** Says that a path always has the same content: its name contains the hash of it. */
export const immutable: ResponseHeaders = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/**
 * Creates a handler that sends content in the coding that the client prefers, each with an `ETag` of its own, or 304 if
 * the client has it (RFC 9110 section 13.1.2). Few clients want it uncompressed: it is restored when the first of them
 * asks, and kept from then on, because to restore it for each would take a hundred times its size.
 */
export function serveContent({ type, headers, read }: StaticContent): (c: Context) => Promise<Response> {
  const restore = keepOnce(async () => decompress(await read('gzip')));
  const readAs = async (coding: ContentCoding | null): Promise<Bytes> => (coding === null ? restore() : read(coding));
  const tags = new Map<ContentCoding | null, string>();

  return async function sendContent(c) {
    const coding = negotiateCoding(c.req.header('Accept-Encoding'), contentCodings);
    const tag = tags.get(coding) ?? `"${await hashContent(await readAs(coding))}"`;
    tags.set(coding, tag);
    const always = { ...headers, ETag: tag, Vary: 'Accept-Encoding' };
    if (matchesEntityTag(c.req.header('If-None-Match'), tag))
      return new Response(null, { status: 304, headers: always });
    const bytes = await readAs(coding);
    const ofBody = { 'Content-Type': type, 'Content-Length': String(bytes.byteLength) };
    const encoding: ResponseHeaders = coding === null ? {} : { 'Content-Encoding': coding };
    return respond(c, bytes, { headers: { ...always, ...ofBody, ...encoding } });
  };
}

/** Compresses content when a client first wants a coding, and keeps the result. */
export function compressOnce(content: string | Bytes): StaticContent['read'] {
  const bytes = toBytes(content);
  const [br, gzip] = [keepOnce(() => compress(bytes, 'br')), keepOnce(() => compress(bytes, 'gzip'))];
  return (coding) => (coding === 'br' ? br() : gzip());
}

/** Makes bytes when they are first requested, and keeps them; after a failure, the next request makes them again. */
function keepOnce(make: () => Promise<Bytes>): () => Promise<Bytes> {
  let kept: Promise<Bytes> | undefined;
  return () => {
    kept ??= make().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}

/** Returns the hash of content, for its `ETag` or its name: 32 hexadecimal digits of its SHA-256. */
export async function hashContent(content: string | Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', toBytes(content)));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBytes(content: string | Bytes): Bytes {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
