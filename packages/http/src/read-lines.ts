import { CodedError } from '@x/errors';
import type { Context } from 'hono';
import { isEncoded } from './content-coding.ts';
import { defaultBodyLimit, parseJson, payloadTooLarge, sendsLines, toReadError } from './read-json.ts';

/**
 * One line of a body: a function that parses it, and throws a `CodedError` for a line that is no JSON or too long. Null
 * for a line without content.
 */
export type BodyLine = (() => unknown) | null;

/**
 * Makes sure that a request sends lines of JSON, and nothing that would have to be decoded first.
 *
 * @throws CodedError `UNSUPPORTED_MEDIA_TYPE`
 */
export function requireLines(c: Context): void {
  if (sendsLines(c.req.header('content-type')) && !isEncoded(c.req.header('content-encoding'))) return;
  throw new CodedError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/x-ndjson, without a content coding.');
}

/**
 * Reads a body of any length line by line. No more than one line and one chunk of it are in memory, and of a line
 * beyond the limit, nothing. The next chunk is asked for once the lines before it were taken. The rest of a body that
 * is not read to its end stays where it is, because the connection still has to carry the response.
 *
 * @param maxBytes - of one line
 * @throws CodedError `INVALID_JSON` if the body ends early
 */
export async function* readLines(c: Context, maxBytes: number = defaultBodyLimit): AsyncGenerator<BodyLine, void> {
  const reader = c.req.raw.body?.getReader();
  const beginning = new LineBuffer(maxBytes);
  try {
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) break;
      let start = 0;
      for (let end = chunk.value.indexOf(lineFeed); end >= 0; end = chunk.value.indexOf(lineFeed, start)) {
        yield toLine(beginning.take(chunk.value.subarray(start, end)));
        start = end + 1;
      }
      beginning.add(chunk.value.subarray(start));
    }
  } catch (error) {
    throw toReadError(error);
  } finally {
    reader?.releaseLock();
  }
  if (!beginning.isEmpty) yield toLine(beginning.take(nothing));
}

const lineFeed = 0x0a;
const nothing = new Uint8Array();

/** @param bytes - null for a line beyond the limit */
function toLine(bytes: Uint8Array | null): BodyLine {
  if (bytes === null) {
    return () => {
      throw payloadTooLarge('The line is too large.');
    };
  }
  return bytes.every(isBlank) ? null : () => parseJson(bytes);
}

/** White space that may be around a value, such as the carriage return of a file that Windows wrote. */
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** The beginning of a line whose end has not arrived. It is copied, so that the chunks that brought it are let go. */
class LineBuffer {
  readonly #maxBytes: number;
  #bytes = new Uint8Array(1024);
  /** How long the line is so far, even where it is too long to be kept. */
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(part: Uint8Array): void {
    const size = this.#size + part.byteLength;
    if (size <= this.#maxBytes) {
      if (size > this.#bytes.byteLength) this.#grow(size);
      this.#bytes.set(part, this.#size);
    }
    this.#size = size;
  }

  /** Returns the line that ends with this part; null if it is beyond the limit. */
  take(end: Uint8Array): Uint8Array | null {
    const size = this.#size + end.byteLength;
    const isWhole = this.#size === 0;
    if (!isWhole) this.add(end);
    this.#size = 0;
    if (size > this.#maxBytes) return null;
    return isWhole ? end : this.#bytes.slice(0, size);
  }

  #grow(size: number): void {
    const bytes = new Uint8Array(Math.min(Math.max(size, 2 * this.#bytes.byteLength), this.#maxBytes));
    bytes.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = bytes;
  }
}
