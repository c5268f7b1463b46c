import { CodedError } from '@x/errors';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { readLines, requireLines } from './read-lines.ts';

/** Sends a body in these chunks, and returns what each of its lines is: a value, the code of its error, or null. */
async function linesOf(chunks: readonly Uint8Array[], maxBytes = 100): Promise<unknown> {
  const app = new Hono();
  const found: unknown[] = [];
  app.post('/', async (c) => {
    for await (const line of readLines(c, maxBytes)) found.push(line && parse(line));
    return c.body(null);
  });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  await app.request('/', { method: 'POST', body, duplex: 'half' } as RequestInit);
  return found;
}

function parse(line: () => unknown): unknown {
  try {
    return line();
  } catch (error) {
    if (error instanceof CodedError) return error.code;
    throw error;
  }
}

const text = '{"a":"ä€😀"}\n\n \t\r\n[1]\r\n{"a":\n"b"';
const values = [{ a: 'ä€😀' }, null, null, [1], 'INVALID_JSON', 'b'];

describe('lines of a body', () => {
  it.each([1, 2, 3, 5, 7, 1000])('are the same in chunks of %i bytes', async (size) => {
    const bytes = Buffer.from(text);
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
    expect(await linesOf(chunks)).toEqual(values);
  });

  it('may be none', async () => {
    expect(await linesOf([])).toEqual([]);
    expect(await linesOf([Buffer.from('\n')])).toEqual([null]);
  });

  it('each have the limit, in bytes and without their end', async () => {
    const [fits, exceeds] = [`"${'x'.repeat(98)}"`, `"${'x'.repeat(99)}"`];
    const whole = Buffer.from(`${fits}\n${exceeds}\n${fits}\n${exceeds}`);
    const expected = ['x'.repeat(98), 'PAYLOAD_TOO_LARGE', 'x'.repeat(98), 'PAYLOAD_TOO_LARGE'];
    expect(await linesOf([whole])).toEqual(expected);
    expect(await linesOf(Array.from(whole, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('are each refused alone for what a body is refused for', async () => {
    const refused = ['{"__proto__":1}', '{"a":1,"a":2}', '1e400', '['.repeat(40), '\ufeff1'];
    const bytes = Buffer.concat([...refused.map((line) => Buffer.from(`${line}\n`)), Buffer.from([0x22, 0xff, 0x22])]);
    expect(await linesOf([bytes])).toEqual([...refused, ''].map(() => 'INVALID_JSON'));
  });

  it('are only taken by their type, and as they are', async () => {
    const app = new Hono();
    app.onError((error, c) => c.text((error as CodedError).code));
    app.post('/', (c) => {
      requireLines(c);
      return c.text('taken');
    });
    const send = async (headers: Readonly<Record<string, string>>): Promise<string> =>
      (await app.request('/', { method: 'POST', headers })).text();
    for (const type of ['application/x-ndjson', 'Application/X-NDJSON; charset=utf-8']) {
      expect(await send({ 'content-type': type })).toBe('taken');
      expect(await send({ 'content-type': type, 'content-encoding': 'gzip' })).toBe('UNSUPPORTED_MEDIA_TYPE');
    }
    for (const type of ['', 'application/json', 'application/x-ndjsonx', 'text/plain']) {
      expect(await send({ 'content-type': type })).toBe('UNSUPPORTED_MEDIA_TYPE');
    }
  });
});
