import { CodedError, findInputProblem, type Issue, isObject } from '@x/errors';
import type { Context, MiddlewareHandler } from 'hono';
import { isEncoded } from './content-coding.ts';
import { findJsonLoss } from './find-json-loss.ts';

/** The default body limit: 256 KiB. */
export const defaultBodyLimit: number = 256 * 1024;

/** Refuses a request whose announced body exceeds the limit, before anything else is read. */
export function requireBodyWithin(maxBytes: number): MiddlewareHandler {
  return async function requireBodyWithin(c, next) {
    assertAnnouncedWithin(c, maxBytes);
    await next();
  };
}

function assertAnnouncedWithin(c: Context, maxBytes: number): void {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw payloadTooLarge();
}

/**
 * Reads a JSON body. Its shape is not validated, except that nesting and size are within bounds, that no key could
 * reach a prototype or stands twice in one object, and that numbers have no more digits than can be kept: `issues`
 * names the first place where that is not so.
 *
 * @throws CodedError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON`
 */
export async function readJson(c: Context, maxBytes: number = defaultBodyLimit): Promise<unknown> {
  assertJson(c);
  return parseJson(await readBody(c, maxBytes));
}

/**
 * Reads a JSON body like {@link readJson}; `undefined` if there is none.
 *
 * @throws CodedError as {@link readJson}
 */
export async function readOptionalJson(c: Context, maxBytes: number = defaultBodyLimit): Promise<unknown> {
  if (!hasBody(c)) return undefined;
  // A listener does not wait for such a body before it starts the request, so nothing else does either.
  if (sendsLines(c.req.header('content-type'))) assertJson(c);
  const bytes = await readBody(c, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  assertJson(c);
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
  return isObject(value) && Object.keys(value).length === 0;
}

/** Says whether a body is lines of JSON, by its `Content-Type`. Such a body is read while it arrives. */
export function sendsLines(contentType: string | undefined): boolean {
  return linesType.test(contentType?.trim() ?? '');
}

const linesType = /^application\/x-ndjson[\t ]*(;|$)/i;

function assertJson(c: Context): void {
  if (mediaType.test(c.req.header('content-type')?.trim() ?? '')) return;
  throw new CodedError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
}

const mediaType = /^application\/json[\t ]*(;|$)/i;

// Strict UTF-8. A byte order mark stays in the text, so JSON.parse refuses it (RFC 8259 section 8.1).
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses JSON within the bounds that {@link readJson} names.
 *
 * @throws CodedError `INVALID_JSON`
 */
export function parseJson(bytes: Uint8Array): unknown {
  const outline = outlineOf(bytes);
  if (outline === null) throw invalidJson([tooLarge]);
  const value = tryParse(bytes);
  if (value === undefined) throw invalidJson();
  const mayLose = outline.hasLongNumber || outline.members !== countMembers(value);
  const problem = findInputProblem(value) ?? (mayLose ? findJsonLoss(decoder.decode(bytes)) : null);
  if (problem !== null) throw invalidJson([problem]);
  return value;
}

/** How deeply arrays and objects may nest. */
const maxDepth = 32;

/** How many keys one object may have. */
const maxKeys = 1000;

const tooLarge: Issue = {
  path: [],
  code: 'too_big',
  message: `The body nests over ${maxDepth} levels, or an object has over ${maxKeys} keys.`,
};

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The properties of JSON that are known before it is parsed. */
interface Outline {
  /** How many members its objects have in all, each as often as it is written. */
  readonly members: number;
  /** Whether a number has an exponent, or more digits than any double. */
  readonly hasLongNumber: boolean;
}

/**
 * Outlines JSON that was not parsed yet: to parse a body that exceeds the bounds would take twenty times as long as to
 * check them. A text that is no JSON may have an outline, too.
 *
 * @returns null if it is not within bounds
 */
function outlineOf(bytes: Uint8Array): Outline | null {
  const keys: number[] = [];
  let [depth, members, hasLongNumber] = [0, 0, false];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) {
      index = endOfText(bytes, index + 1);
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      if (depth > maxDepth) return null;
      keys[depth] = 0;
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    } else if (byte === colon) {
      const count = (keys[depth] ?? 0) + 1;
      if (count > maxKeys) return null;
      keys[depth] = count;
      members += 1;
    } else if (isDigit(byte)) {
      const end = endOfNumber(bytes, index);
      hasLongNumber ||= end - index > maxDigits || bytes.subarray(index, end).some(isExponent);
      index = end - 1;
    }
  }
  return { members, hasLongNumber };
}

/** Any number of so many digits fits into a double. */
const maxDigits = 15;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const isExponent = (byte: number): boolean => byte === 0x65 || byte === 0x45;

/** Finds the end of a possible number; a sign before it does not matter. */
function endOfNumber(bytes: Uint8Array, from: number): number {
  let index = from;
  while (index < bytes.length && isOfNumber(bytes[index])) index += 1;
  return index;
}

/** A digit, `.`, `e`, `E`, `+` or `-`. */
function isOfNumber(byte = 0): boolean {
  return isDigit(byte) || isExponent(byte) || byte === 0x2e || byte === 0x2b || byte === 0x2d;
}

/** Finds the quote that ends a text. */
function endOfText(bytes: Uint8Array, from: number): number {
  let index = from;
  while (index < bytes.length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1;
  return index;
}

function tryParse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

/** Counts the members of all objects. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: unknown[] = Object.values(value);
  return parts.reduce((count: number, part) => count + countMembers(part), Array.isArray(value) ? 0 : parts.length);
}

function invalidJson(issues?: readonly Issue[]): CodedError {
  return new CodedError('INVALID_JSON', 'The body is not valid JSON.', issues && { issues });
}

/**
 * Reads a body of at most `maxBytes`, even if its length was not announced.
 *
 * @throws CodedError `UNSUPPORTED_MEDIA_TYPE` if it would have to be decoded first; `PAYLOAD_TOO_LARGE`; `INVALID_JSON`
 * if it ends early
 */
export async function readBody(c: Context, maxBytes: number): Promise<Uint8Array> {
  assertAnnouncedWithin(c, maxBytes);
  if (isEncoded(c.req.header('content-encoding'))) {
    throw new CodedError('UNSUPPORTED_MEDIA_TYPE', 'The body must have no content coding.');
  }
  try {
    const bytes = hasAnnouncedLength(c) ? new Uint8Array(await c.req.arrayBuffer()) : await readChunks(c, maxBytes);
    if (bytes.byteLength > maxBytes) throw payloadTooLarge();
    return bytes;
  } catch (error) {
    throw toReadError(error);
  }
}

/** Converts what reading a body has thrown: the client may have gone in the middle. */
export function toReadError(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  return new CodedError('INVALID_JSON', 'The body could not be read.', { cause: error });
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

async function readChunks(c: Context, maxBytes: number): Promise<Uint8Array> {
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

/** Builds the error for input beyond the limit of a body. */
export function payloadTooLarge(message = 'The body is too large.'): CodedError {
  return new CodedError('PAYLOAD_TOO_LARGE', message);
}
