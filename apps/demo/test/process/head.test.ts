import type { OpenApiDocument } from '@x/openapi';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { seededLogins } from '../../src/seed.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { findPage } from '../support/find-page.ts';
import { exchange } from '../support/raw-socket.ts';

/** Headers that a client may send, and headers of an answer that it receives somewhere. */
const askings: readonly (readonly [headers: Headers, seen: readonly string[]])[] = [
  [{}, ['content-length', 'etag']],
  [{ 'Accept-Encoding': 'br, gzip' }, ['content-length', 'content-encoding', 'vary']],
  [{ 'Accept-Encoding': 'gzip' }, ['content-length', 'content-encoding', 'vary']],
  [{ Origin: 'https://evil.example' }, ['content-length']],
];

type Headers = Readonly<Record<string, string>>;

it.each([
  ['a signed-in user', seededLogins.emails[0], [200, 400, 403, 404, 405]],
  ['a stranger', null, [200, 401, 404, 405]],
])('HEAD has the headers of GET on every route whose GET only reads, for %s', async (_who, email, expected) => {
  const browser = new Browser(await startHere({ PAGE_FOLDER: await findPage(), SEED: 'true' }));
  if (email !== null) await browser.post('/api/auth/signin', { email, password: seededLogins.password });
  const paths = await findPaths(browser);
  const statuses = new Set<number>();
  for (const [headers, names] of askings) {
    const seen = new Set<string>();
    for (const path of paths) {
      const get = await send(browser, `GET ${path}`, headers);
      expect(await send(browser, `HEAD ${path}`, headers), path).toEqual({ ...get, body: '' });
      if (get.headers['etag'] !== undefined) await compareUnchanged(browser, path, headers, get.headers['etag']);
      for (const name of Object.keys(get.headers)) seen.add(name);
      statuses.add(get.status);
    }
    expect([...seen]).toEqual(expect.arrayContaining([...names]));
  }
  expect(statuses).toEqual(new Set(expected));
});

it('refuses HEAD of every GET that has effects', async () => {
  const browser = new Browser(await startHere({}));
  for (const template of acting) {
    const { status, headers } = await send(browser, `HEAD ${template.replace('{provider}', 'google')}`, {});
    expect([template, status, headers['allow'], headers['set-cookie']]).toEqual([template, 405, 'get', undefined]);
  }
});

/** The GETs that have effects: they open a stream, count an attempt, or spend a code. */
const acting: readonly string[] = ['/api/live', '/api/auth/oauth/{provider}', '/api/auth/oauth/{provider}/callback'];

async function compareUnchanged(browser: Browser, path: string, headers: Headers, etag: string): Promise<void> {
  const conditional = { ...headers, 'If-None-Match': etag };
  const get = await send(browser, `GET ${path}`, conditional);
  expect(await send(browser, `HEAD ${path}`, conditional), path).toEqual({ ...get, body: '' });
}

/** Every path that answers GET by reading, some with records of the caller, and some that do not. */
async function findPaths(browser: Browser): Promise<readonly string[]> {
  const { paths } = JSON.parse((await browser.get('/api/openapi.json')).text) as OpenApiDocument;
  const read = Object.entries(paths).flatMap(([path, { get }]) => (get && !acting.includes(path) ? [path] : []));
  const filled = await Promise.all(read.map((template) => fillIn(browser, template)));
  const [page, docs] = [(await browser.get('/')).text, (await browser.get('/api/docs')).text];
  const loaded = Array.from(`${page}${docs}`.matchAll(/(?:src|href)="([^":]+)"/g), ([, address = '']) => address);
  return [
    ...filled,
    ...['/', '/auth/error', '/verify', '/reset', '/mfa', '/dev/outbox', '/api/docs'],
    ...loaded.map((address) => new URL(address, `${browser.url}/api/docs`).pathname),
    ...['/nothing', '/api/nothing', '/api/auth/signin', '/api/notes/bulk', '/api/notes?limit=x'],
  ];
}

/** Finds a record whose id belongs in the path, if the caller sees one. */
async function fillIn(browser: Browser, template: string): Promise<string> {
  if (!template.includes('{')) return template;
  const entity = template.split('/')[2];
  const listed = entity === 'auth' ? undefined : await browser.get(`/api/${entity}`);
  const id = listed?.status === 200 ? listed.body.items[0]?.['id'] : undefined;
  return template.replace('{id}', typeof id === 'string' ? id : randomUUID());
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

async function send(browser: Browser, line: string, headers: Headers): Promise<RawAnswer> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const sent = { Host: 'localhost', Connection: 'close', 'X-Request-Id': 'same', Cookie: cookie, ...headers };
  const fields = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  const port = Number(new URL(browser.url).port);
  const [head, body] = splitOnce(
    await exchange(port, [`${line} HTTP/1.1`, ...fields, '', ''].join('\r\n')),
    '\r\n\r\n',
  );
  const [status = '', ...received] = head.split('\r\n');
  const own = Object.fromEntries(received.map((field) => splitOnce(field.toLowerCase(), ': ')));
  const answer = { status: Number(status.split(' ')[1]), headers: normalize(own), body };
  return body.endsWith('0\r\n\r\n') ? withoutChunks(answer) : answer;
}

/** Leaves out what differs between two answers to GET, too. */
function normalize({ date: _date, ...headers }: Headers): Headers {
  const random = Object.keys(headers).filter((name) => name === 'set-cookie' || name === 'location');
  return { ...headers, ...Object.fromEntries(random.map((name) => [name, 'random'])) };
}

/**
 * Leaves out that a body comes in chunks, which HEAD need not say (RFC 9110 section 9.3.2): that of a stream, and of a
 * redirect, of which Node says so although it is empty.
 */
function withoutChunks({ status, headers: { 'transfer-encoding': _chunked, ...headers }, body }: RawAnswer): RawAnswer {
  return { status, headers, body: body === '0\r\n\r\n' ? '' : body };
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}
