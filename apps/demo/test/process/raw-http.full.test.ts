import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { faultsOf } from '../support/faults.ts';
import { exchange, openSocket, statusesOf } from '../support/raw-socket.ts';
import { makeFolder } from '../support/temporary-folder.ts';

/** Requests that no browser sends, each with the statuses that answer it before the demo hangs up. */
const oddRequests: readonly (readonly [name: string, request: string, statuses: readonly number[]])[] = [
  ['no HTTP', 'NOT HTTP\r\n\r\n', [400]],
  ['HTTP/2 without agreement', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
  ['a method that does not exist', spell('BREW /healthz'), [400]],
  ['a method that no path answers', spell('PROPFIND /healthz'), [405]],
  ['TRACE of a known path', spell('TRACE /api/auth/signup'), [405]],
  ['TRACE of an unknown path', spell('TRACE /nowhere'), [404]],
  ['CONNECT', spell('CONNECT example.com:443'), [405]],
  ['the server as a whole', spell('OPTIONS *'), [400]],
  ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
  ['an empty Host', 'GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', [400]],
  ['a Host that is none', 'GET /healthz HTTP/1.1\r\nHost: a b/c?\r\nConnection: close\r\n\r\n', [400]],
  ['two Hosts', spell('GET /healthz', { Host: 'localhost\r\nHost: evil.example' }), [400]],
  ['the same Host twice', spell('POST /api/auth/signup', { Host: 'localhost\r\nhOST: localhost' }), [400]],
  ['two Hosts and requests after them', keepAlive('Host: localhost\r\nHost: a') + spell('GET /healthz'), [400]],
  ['two Hosts after another request', keepAlive('Host: localhost') + keepAlive('Host: a\r\nHost: b'), [200, 400]],
  ['two Hosts of HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', [400]],
  ['a fragment', spell('GET /api/auth/session#x'), [400]],
  ['a fragment and nothing else', spell('GET #'), [400]],
  ['a fragment in the query', spell('GET /healthz?a=#b'), [400]],
  ['a fragment in an absolute target', spell('GET http://localhost/healthz#x'), [400]],
  ['an escape of what begins a fragment', spell('GET /healthz?a=%23b'), [200]],
  ["another site's Host", 'GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', [200]],
  ['HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n', [200]],
  ['an absolute target', spell('GET http://evil.example/healthz'), [200]],
  ['an absolute target of an unknown path', spell('GET http://evil.example/nowhere'), [404]],
  ['an absolute target that is no URL', spell('GET http://[::bad/healthz'), [400]],
  ['bytes beyond ASCII in the path', spell('GET /\xff\x80'), [400]],
  ['escapes that are no UTF-8', spell('GET /api/auth/%ff%80%'), [404]],
  ['line breaks in escapes', spell('GET /api/auth/session%0d%0aSet-Cookie:%20a=b'), [404]],
  ['headers of 20 KB', spell('GET /healthz', { 'X-Flood': 'a'.repeat(20_000) }), [431]],
  ['5000 headers', spell(`GET /healthz HTTP/1.1\r\n${'A: b\r\n'.repeat(5000)}X-Rest:`), [431]],
  ['a target of 20 KB', spell(`GET /${'a'.repeat(20_000)}`), [431]],
  ['a header with NUL', spell('GET /healthz', { 'X-Nul': 'a\0b' }), [400]],
  ['a folded header', spell('GET /healthz', { 'X-Fold': 'a\r\n b' }), [400]],
  ['two lengths', spell('POST /api/auth/signup', { 'Content-Length': '2\r\nContent-Length: 3' }), [400]],
  ['a length and chunks', spell('POST /api/auth/signup', { 'Content-Length': '5', ...chunked() }, '0\r\n\r\n'), [400]],
  ['chunks that are none', spell('POST /api/auth/signup', chunked(), 'zz\r\n{}\r\n0\r\n\r\n'), [400]],
  ['a chunk of 2^70 bytes', spell('POST /api/auth/signup', chunked(), `4${'0'.repeat(17)}\r\n{}`), [400]],
  ['an encoding that we do not know', spell('POST /api/auth/signup', { 'Transfer-Encoding': 'gzip' }), [400]],
  ['an expectation that we do not know', spell('GET /healthz', { Expect: 'miracles' }), [200]],
  [
    'an upgrade that we do not know',
    spell('GET /healthz', { Connection: 'close, upgrade', Upgrade: 'websocket' }),
    [200],
  ],
];

it('responds to any bytes with a status below 500, and stays up', async () => {
  const demo = await startDemo({ folder: makeFolder(), variables: { LOG_LEVEL: 'debug' } });
  for (const [name, request, statuses] of oddRequests) {
    const answer = await exchange(demo.port, request);
    expect([name, statusesOf(answer)]).toEqual([name, statuses]);
    const refusals = statuses.filter((status) => status >= 400);
    expect([name, ...answer.matchAll(errorBody)]).toHaveLength(1 + refusals.length);
  }
  expect(await faultsOf(demo)).toEqual([]);
});

it('keeps idle connections for longer than proxies do, so that none loses a request', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const raw = await openSocket(demo.port);
  raw.send(spell('GET /healthz', { Connection: 'keep-alive' }));
  const [, seconds] = /^Keep-Alive: timeout=(\d+)/im.exec(await raw.receive(/\r\n\r\n/)) ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});

it('outlives clients that reset their connection at any moment', async () => {
  const demo = await startDemo({ folder: makeFolder(), variables: { LOG_LEVEL: 'debug' } });
  const requests = [
    ...oddRequests.map(([, request]) => request),
    postJson(demo, newAccount()),
    postJson(demo, newAccount()).slice(0, -5),
    spell('GET /healthz').slice(0, -5),
  ];
  for (const delayMs of [0, 1, 5]) {
    await Promise.all(
      requests.map(async (request) => {
        const client = await openSocket(demo.port);
        client.send(request);
        await sleep(delayMs);
        client.socket.resetAndDestroy();
      }),
    );
  }
  expect(await faultsOf(demo)).toEqual([]);
});

it('serves others while a body does not arrive, and does not count a request that never ends', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const account = newAccount();
  const stalled = await Promise.all(Array.from({ length: 20 }, () => openSocket(demo.port)));
  for (const client of stalled) client.send(postJson(demo, account).slice(0, -1));
  const browser = new Browser(demo.origin);
  expect((await browser.get('/readyz')).status).toBe(200);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
  for (const client of stalled) client.socket.destroy();
  expect((await browser.post('/api/auth/signin', account)).body.error.code).toBe('INVALID_CREDENTIALS');
  expect(await faultsOf(demo)).toEqual([]);
});

it('answers pipelined requests in their order', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const account = newAccount();
  const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const last = spell('GET /api/auth/session');
  const answer = await exchange(demo.port, get + postJson(demo, account) + get + last);
  expect(statusesOf(answer)).toEqual([200, 201, 200, 200]);
  expect(answer).toMatch(/"ok".*"user".*"ok".*"session":null/s);
});

it('refuses a body over the limit before any of it arrives', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  for (const path of ['/api/auth/signup', '/api/auth/signin', '/api/auth/signout', '/dev/clock']) {
    const client = await openSocket(demo.port);
    client.send(spell(`POST ${path}`, { ...pageHeaders(demo), 'Content-Length': '262145' }));
    const answer = await client.receive(/\}\}$/);
    expect([path, answer]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 413 .*PAYLOAD_TOO_LARGE/s)]);
  }
});

it('refuses a body over the limit while its chunks still arrive', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  for (const path of ['/api/auth/signup', '/dev/clock']) {
    const client = await openSocket(demo.port);
    client.send(spell(`POST ${path}`, { ...pageHeaders(demo), ...chunked() }));
    for (let kib = 0; kib <= 256; kib += 16) client.send(`4000\r\n${' '.repeat(0x4000)}\r\n`);
    expect([path, ...statusesOf(await client.receive(/\}\}/))]).toEqual([path, 413]);
  }
});

it('sends 100 Continue to a client that waits for it', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const client = await openSocket(demo.port);
  const [head = '', body = ''] = postJson(demo, newAccount()).split('\r\n\r\n');
  client.send(`${head}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
  await client.receive(/HTTP\/1\.1 100 Continue\r\n\r\n$/);
  client.send(body);
  expect(statusesOf(await client.ended)).toEqual([100, 201]);
});

const errorBody = /\r\n\r\n\{"error":\{"code":"[A-Z_]+","message":"[^"]+"\}\}$/gm;

/** Writes a request out; it is the last of its connection unless `headers` say otherwise. */
function spell(line: string, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const all = Object.entries({ Host: 'localhost', Connection: 'close', ...headers });
  return [`${line} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n');
}

/** A request that leaves its connection open, with its `Host` fields. */
function keepAlive(hosts: string): string {
  return `GET /healthz HTTP/1.1\r\n${hosts}\r\n\r\n`;
}

function postJson(demo: DemoProcess, value: object): string {
  const body = JSON.stringify(value);
  const headers = { ...pageHeaders(demo), 'Content-Length': String(body.length), Connection: 'keep-alive' };
  return spell('POST /api/auth/signup', headers, body);
}

function pageHeaders({ origin }: DemoProcess): Readonly<Record<string, string>> {
  return { Origin: origin, 'X-APP-Request': '1', 'Content-Type': 'application/json' };
}

function chunked(): Readonly<Record<string, string>> {
  return { 'Transfer-Encoding': 'chunked' };
}
