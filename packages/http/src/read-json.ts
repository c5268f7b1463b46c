import { CodedError } from '@x/errors';
import type { Context } from 'hono';
import { dropPrototypeKeys, isWithinBounds } from './json-shape.ts';
import { defaultBodyLimit, hasBody, readBody } from './read-body.ts';

/**
 * Reads a JSON body. Its shape is not validated, except that nesting and size are within bounds and no key could reach
 * a prototype.
 *
 * @throws CodedError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON`
 */
export async function readJson(c: Context, maxBytes: number = defaultBodyLimit): Promise<unknown> {
  if (!isJson(c.req.header('content-type'))) {
    throw new CodedError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  return parseJson(await readBody(c, maxBytes));
}

/**
 * Reads a JSON body like {@link readJson}; `undefined` if there is none.
 *
 * @throws CodedError as {@link readJson}
 */
export async function readOptionalJson(c: Context, maxBytes: number = defaultBodyLimit): Promise<unknown> {
  if (!hasBody(c)) return undefined;
  const bytes = await readBody(c, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  if (!isJson(c.req.header('content-type'))) {
    throw new CodedError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  return parseJson(bytes);
}

/**
 * Makes sure that a route without input was sent none: no body at all, an empty one, or `{}`.
 *
 * @throws CodedError as {@link readJson}; `VALIDATION_FAILED` for any other value
 */
export async function readNothing(c: Context, maxBytes: number = defaultBodyLimit): Promise<void> {
  const value = await readOptionalJson(c, maxBytes);
  if (value === undefined || isEmptyObject(value)) return;
  throw new CodedError('VALIDATION_FAILED', 'This route takes no input.', {
    issues: [{ path: [], code: 'unrecognized_keys', message: 'Expected an empty body.' }],
  });
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

const mediaType = /^application\/json[\t ]*(;|$)/i;

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && mediaType.test(contentType.trim());
}

// Strict UTF-8. A byte order mark stays in the text, so JSON.parse refuses it (RFC 8259 section 8.1).
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseJson(bytes: Uint8Array): unknown {
  const value = tryParse(bytes);
  if (value === undefined || !isWithinBounds(value)) {
    throw new CodedError('INVALID_JSON', 'The body is not valid JSON.');
  }
  dropPrototypeKeys(value);
  return value;
}

function tryParse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}
