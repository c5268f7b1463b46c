import { readFileSync } from 'node:fs';
import { type Issue, toLogger } from '@x/errors';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { readJson, readNothing, requireBodyWithin } from './read-json.ts';
import { errorHandler } from './render.ts';

interface SuiteCase {
  readonly name: string;
  readonly expect: 'y' | 'n' | 'i';
  readonly base64: string;
}

const suite = JSON.parse(
  readFileSync(new URL('../test-data/json-test-suite.json', import.meta.url), 'utf8'),
) as readonly SuiteCase[];

/** A duplicate is valid JSON, but has no one meaning. */
const isRefused = ({ expect: expected, name }: SuiteCase): boolean =>
  expected === 'n' || name.startsWith('y_object_duplicated_key');

const app = new Hono();
app.onError(errorHandler(toLogger(false)));
app.post('/json', requireBodyWithin(1000), async (c) => c.json({ value: await readJson(c, 1000) }));
app.post('/nothing', requireBodyWithin(1000), async (c) => {
  await readNothing(c, 1000);
  return c.json({ ok: true });
});
app.post('/large', async (c) => c.json({ value: await readJson(c) }));

interface Sent {
  readonly path?: string;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  readonly type?: string | null;
}

async function send({ path = '/json', body, type = 'application/json' }: Sent): Promise<[number, unknown]> {
  const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    headers['content-length'] = String(Buffer.byteLength(body));
  } else if (body !== undefined) headers['transfer-encoding'] = 'chunked';
  const init: RequestInit & { duplex?: 'half' } = { method: 'POST', headers, duplex: 'half' };
  const response = await app.request(path, body === undefined ? init : { ...init, body });
  const answer = (await response.json()) as { error?: { code: string } };
  return [response.status, answer.error?.code ?? answer];
}

/** The places and kinds of the problems of a body. */
async function issuesOf(body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const response = await app.request('/json', { method: 'POST', headers, body });
  const { error } = (await response.json()) as { error?: { code: string; issues: readonly Issue[] } };
  expect([response.status, error?.code]).toEqual([400, 'INVALID_JSON']);
  return error?.issues.map(({ path, code }) => [path, code]);
}

describe('readJson', () => {
  const accepted = suite.filter((file) => file.expect === 'y' && !isRefused(file));

  it.each(accepted)('accepts $name of JSONTestSuite', async (file) => {
    const [status] = await send({ body: Buffer.from(file.base64, 'base64') });
    expect(status).toBe(200);
  });

  it.each(suite.filter(isRefused))('refuses $name of JSONTestSuite', async (file) => {
    expect(await send({ body: Buffer.from(file.base64, 'base64') })).toEqual([400, 'INVALID_JSON']);
  });

  it.each(suite.filter(({ expect: expected }) => expected === 'i'))(
    'either accepts or refuses $name of JSONTestSuite, and never fails',
    async (file) => {
      const [status] = await send({ body: Buffer.from(file.base64, 'base64') });
      expect([200, 400]).toContain(status);
    },
  );

  it.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset=x'])(
    'accepts the media type %s',
    async (type) => {
      expect(await send({ body: '{}', type })).toEqual([200, { value: {} }]);
    },
  );

  it.each([
    null,
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'text/json, application/json',
  ])('refuses the media type %s', async (type) => {
    expect(await send({ body: '{}', type })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('refuses a byte order mark, an empty body and no body', async () => {
    expect(await send({ body: '\uFEFF{}' })).toEqual([400, 'INVALID_JSON']);
    expect(await send({ body: '' })).toEqual([400, 'INVALID_JSON']);
    expect(await send({})).toEqual([400, 'INVALID_JSON']);
  });

  it.each<[body: string, path: readonly (string | number)[]]>([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"b":{},"a":1}', ['a']],
    ['{"a":1,"\\u0061":1}', ['a']],
    ['{"a":[{},{"b":[1,{"c":{"d":1},"d":1,"c":1}]}]}', ['a', 1, 'b', 1, 'c']],
    ['[[],[0,{"":1,"":2}]]', [1, 1, '']],
    ['{"a":"{\\"a\\":1,","b":1,"b":1}', ['b']],
  ])('refuses a key that an object has twice, and names its place: %s', async (body, path) => {
    expect(await issuesOf(body)).toEqual([[path, 'duplicate_key']]);
  });

  it.each<[body: string, path: readonly (string | number)[]]>([
    ['{"a":1e400}', ['a']],
    ['[-1e400]', [0]],
    ['{"a":[0,{"b":9007199254740993}]}', ['a', 1, 'b']],
    ['{"a":"1e400","b":[],"c":12345678901234567890}', ['c']],
    ['1.00000000000000000001', []],
    ['{"a":0.1234567890123456789}', ['a']],
    ['[1E-400]', [0]],
    ['[4e-324]', [0]],
    [`[${'9'.repeat(400)}]`, [0]],
  ])('refuses a number that cannot be kept exactly, and names its place: %s', async (body, path) => {
    expect(await issuesOf(body)).toEqual([[path, 'not_exact']]);
  });

  it('accepts every number that a double holds, however it is written', async () => {
    const numbers = [
      '1e308',
      '1.7976931348623157e308',
      '5e-324',
      '9007199254740991',
      '-9007199254740992',
      '1e+5',
      '0e999',
    ];
    const long = ['0.10000000000000001', '123456789012345670000', '1180591620717411303424', '1.0000000000000000000000'];
    const body = `[${[...numbers, ...long, `1${'0'.repeat(300)}`].join()}]`;
    expect((await send({ body }))[0]).toBe(200);
    expect((await send({ body: JSON.stringify([0.1 + 0.2, 1e21, 2 ** 53 + 2, Number.MIN_VALUE, -Math.PI]) }))[0]).toBe(
      200,
    );
  });

  it('accepts the same key in different objects, and in texts', async () => {
    const value = { a: { a: [{ a: 1 }, { a: 2, b: 2 ** 60 }] }, b: '"a":1,"a":2', c: [] };
    expect(await send({ body: JSON.stringify(value) })).toEqual([200, { value }]);
  });

  it.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__', '\\u0063onstructor'])(
    'refuses the key %s at any depth, and names its place',
    async (spelled) => {
      const key = String(JSON.parse(`"${spelled}"`));
      const deep = `${'{"a":'.repeat(30)}{"${spelled}":1}${'}'.repeat(30)}`;
      const bodies: readonly (readonly [body: string, path: readonly (string | number)[]])[] = [
        [`{"${spelled}":{"x":1}}`, [key]],
        [`{"b":1,"${spelled}":null}`, [key]],
        [`{"a":[0,{"b":{"${spelled}":1}}]}`, ['a', 1, 'b', key]],
        [`[[{"${spelled}":[]}]]`, [0, 0, key]],
        [deep, [...Array.from({ length: 30 }, () => 'a'), key]],
      ];
      for (const [body, path] of bodies) {
        const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
        const response = await app.request('/json', { method: 'POST', headers, body });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          error: { code: 'INVALID_JSON', issues: [{ path, code: 'unrecognized_keys' }] },
        });
      }
      expect(Reflect.get({}, 'x')).toBeUndefined();
    },
  );

  it('accepts such a name as a value, and as a part of a key', async () => {
    const value = { a: ['__proto__', 'constructor', 'prototype'], constructors: 1, _proto_: 2, Prototype: 3 };
    expect(await send({ body: JSON.stringify(value) })).toEqual([200, { value }]);
  });

  it('accepts 32 levels and refuses 33', async () => {
    expect((await send({ body: '['.repeat(32) + ']'.repeat(32) }))[0]).toBe(200);
    expect(await send({ body: '['.repeat(33) + ']'.repeat(33) })).toEqual([400, 'INVALID_JSON']);
  });

  it('refuses 100 000 levels', async () => {
    const body = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(await send({ path: '/large', body })).toEqual([400, 'INVALID_JSON']);
  });

  it('accepts 1 000 keys in one object and refuses 1 001', async () => {
    const withKeys = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0])));
    expect((await send({ path: '/large', body: withKeys(1000) }))[0]).toBe(200);
    expect(await send({ path: '/large', body: withKeys(1001) })).toEqual([400, 'INVALID_JSON']);
  });

  it('counts neither levels nor keys within texts', async () => {
    const value = { a: '[{"'.repeat(50), '\\"': ':'.repeat(2000), 'b\\': `"${'{'.repeat(50)}`, c: [{ d: '\\' }, '[['] };
    expect(await send({ path: '/large', body: JSON.stringify(value) })).toEqual([200, { value }]);
  });

  it('counts the keys of each object, wherever it stands', async () => {
    const keys = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":{}`).join();
    const many = (count: number): string => `{"a":[{${keys(900)}},{${keys(count)},"b":[{${keys(900)}}]}]}`;
    expect((await send({ path: '/large', body: many(999) }))[0]).toBe(200);
    expect(await send({ path: '/large', body: many(1000) })).toEqual([400, 'INVALID_JSON']);
  });

  it('refuses JSON that is too deep or has too many keys before it is parsed', async () => {
    const bodies = ['['.repeat(130_000), `{${Array.from({ length: 20_000 }, (_, key) => `"${key}":0`).join()}}`];
    for (const body of bodies) {
      const response = await app.request('/large', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
        body,
      });
      expect(await response.json()).toMatchObject({ error: { code: 'INVALID_JSON', issues: [{ code: 'too_big' }] } });
    }
  });

  it('accepts a body of exactly the limit and refuses one byte more, announced or chunked', async () => {
    const atLimit = JSON.stringify('x'.repeat(998));
    expect((await send({ body: atLimit }))[0]).toBe(200);
    expect((await send({ body: chunks(atLimit) }))[0]).toBe(200);
    expect(await send({ body: `${atLimit} ` })).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await send({ body: chunks(`${atLimit} `) })).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('reads nothing of a body whose announced length exceeds the limit, where nothing has refused it before', async () => {
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          if (pulled > 20) controller.close();
          else controller.enqueue(new Uint8Array(64 * 1024));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': 'application/json', 'content-length': String(20 * 64 * 1024) };
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
    expect([(await app.request('/large', init)).status, pulled]).toEqual([413, 0]);
  });

  it('stops reading an endless body at the limit', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new TextEncoder().encode('x'.repeat(100)));
      },
    });
    expect(await send({ body: endless })).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(pulled).toBeLessThan(20);
  });

  it('refuses a body that breaks off', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    expect(await send({ body: broken })).toEqual([400, 'INVALID_JSON']);
  });
});

describe('readNothing', () => {
  it('accepts no body, an empty one and an empty object', async () => {
    expect(await send({ path: '/nothing', type: null })).toEqual([200, { ok: true }]);
    expect(await send({ path: '/nothing', type: null, body: '' })).toEqual([200, { ok: true }]);
    expect(await send({ path: '/nothing', type: 'text/plain', body: chunks('') })).toEqual([200, { ok: true }]);
    expect(await send({ path: '/nothing', body: '{}' })).toEqual([200, { ok: true }]);
  });

  it('sees a body that no header speaks of, as fetch in other frameworks hands it on', async () => {
    const request = new Request('http://localhost/nothing', { method: 'POST', body: '{"a":1}' });
    expect((await app.fetch(request)).status).toBe(415);
  });

  it('refuses another type, another value and broken JSON', async () => {
    expect(await send({ path: '/nothing', type: 'text/plain', body: 'x' })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(await send({ path: '/nothing', body: '{"a":1}' })).toEqual([400, 'VALIDATION_FAILED']);
    expect(await send({ path: '/nothing', body: '[]' })).toEqual([400, 'VALIDATION_FAILED']);
    expect(await send({ path: '/nothing', body: '{' })).toEqual([400, 'INVALID_JSON']);
  });
});

function chunks(text: string): ReadableStream {
  return new ReadableStream({
    start(controller) {
      if (text !== '') controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}
