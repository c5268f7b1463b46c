import { CodedError } from '@x/errors';
import type { Context, MiddlewareHandler } from 'hono';

/** The default body limit: 256 KiB. */
export const defaultBodyLimit: number = 256 * 1024;

/** Refuses a request whose announced body exceeds the limit, before anything else is read. */
export function requireBodyWithin(maxBytes: number): MiddlewareHandler {
  return async function requireBodyWithin(c, next) {
    if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw payloadTooLarge();
    await next();
  };
}

/**
 * Reads a body of at most `maxBytes`, even if its length was not announced.
 *
 * @throws CodedError `PAYLOAD_TOO_LARGE`; `INVALID_JSON` if the body ends early
 */
export async function readBody(c: Context, maxBytes: number): Promise<Uint8Array> {
  try {
    const bytes = hasAnnouncedLength(c) ? new Uint8Array(await c.req.arrayBuffer()) : await drain(c, maxBytes);
    if (bytes.byteLength > maxBytes) throw payloadTooLarge();
    return bytes;
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError('INVALID_JSON', 'The body could not be read.', { cause: error });
  }
}

/**
 * Says whether the request has a body. On a socket the headers decide (RFC 9112 section 6.3); elsewhere the body is
 * present or not.
 */
export function hasBody(c: Context<{ Bindings: { incoming?: object } }>): boolean {
  const length = c.req.header('content-length');
  if (length !== undefined) return length !== '0';
  if (c.req.header('transfer-encoding') !== undefined) return true;
  return c.env?.incoming === undefined && c.req.raw.body !== null;
}

function hasAnnouncedLength(c: Context): boolean {
  return c.req.header('content-length') !== undefined && c.req.header('transfer-encoding') === undefined;
}

async function drain(c: Context, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw payloadTooLarge();
    chunks.push(chunk);
  }
  return concat(chunks, size);
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function payloadTooLarge(): CodedError {
  return new CodedError('PAYLOAD_TOO_LARGE', 'The body is too large.');
}
