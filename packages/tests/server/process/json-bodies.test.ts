import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestServer } from '../../support/test-server.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';
import { titled } from '../../support/titled.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const text = JSON.stringify(ada);
const limit = 256 * 1024;

async function send(raw: string | Uint8Array<ArrayBuffer>, type?: string | null): Promise<TestResponse> {
  const { client } = await createTestServer();
  const headers = type === undefined ? {} : { 'content-type': type };
  return client().send('/api/auth/signup', { method: 'POST', raw, headers });
}

async function sendEncoded(raw: string | Uint8Array<ArrayBuffer>, coding: string): Promise<TestResponse> {
  const { client } = await createTestServer();
  return client().send('/api/auth/signup', { method: 'POST', raw, headers: { 'content-encoding': coding } });
}

describe('a request body', () => {
  it.each([
    ...['application/json', 'Application/JSON', 'application/json;charset=utf-8', 'application/json; charset=UTF-8'],
    ...['application/json ; charset="utf-8"', 'application/json; charset=latin1', 'application/json;'],
  ])('is accepted with the content type %s', async (type) => {
    expect((await send(text, type)).status).toBe(201);
  });

  it.each([
    ...[null, '', 'text/plain', 'text/plain;application/json', 'application/x-www-form-urlencoded', 'text/json'],
    ...['multipart/form-data; boundary=x', 'application/jsonp', 'application/json5', 'application/vnd.api+json'],
    ...['application/json, text/plain', 'text/plain, application/json', '*/*', 'application/*', 'json', 'application/'],
  ])('is refused with the content type %s', async (type) => {
    // A Request states a type for text of its own accord, but none for bytes.
    expect(refusalOf(await send(new TextEncoder().encode(text), type))).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it.each(['identity', 'Identity', 'identity, identity', ''])(
    'is accepted with the content coding %j',
    async (coding) => {
      expect((await sendEncoded(text, coding)).status).toBe(201);
    },
  );

  it.each(['gzip', 'GZIP', 'br', 'identity, gzip', 'none', '*'])(
    'is refused with the content coding %s',
    async (coding) => {
      const encoded = coding === 'gzip' ? Uint8Array.from(gzipSync(text)) : text;
      expect(refusalOf(await sendEncoded(encoded, coding))).toBe('UNSUPPORTED_MEDIA_TYPE');
    },
  );

  it.each(
    titled([
      ...[
        '',
        ' ',
        '{',
        '}',
        text.slice(0, -1),
        `${text}x`,
        `${text}${text}`,
        `${text},`,
        `\uFEFF${text}`,
        `/**/${text}`,
      ],
      ...["{'email':'a'}", '{email:1}', 'undefined', 'NaN', 'Infinity', '{"a":01}', '{"a":1e400}', '{"a":"\n"}'],
      ...['['.repeat(33) + ']'.repeat(33), '['.repeat(100_000) + ']'.repeat(100_000), '['.repeat(100_000)],
      `{${Array.from({ length: 1001 }, (_, index) => `"k${index}":0`).join()}}`,
    ]),
  )('is refused as broken JSON: %s', async (_title, raw) => {
    expect(refusalOf(await send(raw))).toBe('INVALID_JSON');
  });

  it.each([
    [0xff, 0xfe],
    [0xc3, 0x28],
    [0xed, 0xa0, 0x80],
    [0xc0, 0xaf],
    [0xf5, 0x80, 0x80, 0x80],
  ])('is refused if it is not UTF-8: %i %i', async (...bytes) => {
    const raw = Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from(bytes), Buffer.from('"}')]);
    expect(refusalOf(await send(Uint8Array.from(raw)))).toBe('INVALID_JSON');
    const utf16 = Uint8Array.from(Buffer.from(text, 'utf16le'));
    expect(refusalOf(await send(utf16, 'application/json; charset=utf-16le'))).toBe('INVALID_JSON');
  });

  it.each(['null', 'true', '1', '"x"', '[]', `[${text}]`, '{}'])('is refused by its shape: %s', async (raw) => {
    expect(refusalOf(await send(raw))).toBe('VALIDATION_FAILED');
  });

  it('is refused if it has two values under one name, or a number beyond a double', async () => {
    for (const [raw, path] of [
      [`{"email":"eve@example.com",${text.slice(1)}`, ['email']],
      [`{"password":1e400,"email":"a"}`, ['password']],
      [`{"email":[9007199254740993]}`, ['email', 0]],
    ] as const) {
      const response = await send(raw);
      expect(refusalOf(response)).toBe('INVALID_JSON');
      expect(response.body.error.issues?.map((issue) => issue.path)).toEqual([path]);
    }
  });

  it('is limited to 256 KiB, announced or in chunks', async () => {
    const { server } = await createTestServer();
    const port = await serve(server);
    for (const [size, code] of [
      [limit, 'VALIDATION_FAILED'],
      [limit + 1, 'PAYLOAD_TOO_LARGE'],
    ] as const) {
      const body = JSON.stringify('x'.repeat(size - 2));
      expect(refusalOf(await exchange(port, encodeRequest('POST /api/auth/signin', { body })))).toBe(code);
      const chunked = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
      const chunks = `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const request = encodeRequest('POST /api/auth/signin', { headers: chunked });
      expect(refusalOf(await exchange(port, request + chunks))).toBe(code);
    }
  });

  it('is limited to the bytes that the app configures', async () => {
    const { client } = await createTestServer({ bodyLimit: 1000 });
    const sendSized = (size: number): Promise<TestResponse> =>
      client().send('/api/auth/signin', { method: 'POST', raw: text.padEnd(size) });
    expect(refusalOf(await sendSized(1000))).toBe('INVALID_CREDENTIALS');
    expect(refusalOf(await sendSized(1001))).toBe('PAYLOAD_TOO_LARGE');
  });
});
