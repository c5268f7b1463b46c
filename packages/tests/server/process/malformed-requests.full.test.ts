import { listen } from '@x/server/node';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer } from '../../support/test-server.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const post = 'POST /api/auth/signin';

describe.each([
  ['no HTTP', 'hello\r\n\r\n', 'VALIDATION_FAILED'],
  ['an unknown method', encodeRequest('BREW /api/auth/session'), 'VALIDATION_FAILED'],
  ['TRACE', encodeRequest('TRACE /api/auth/session'), 'METHOD_NOT_ALLOWED'],
  ['CONNECT', encodeRequest('CONNECT evil.example:443'), 'METHOD_NOT_ALLOWED'],
  ['no Host', encodeRequest('GET /api/auth/session', { headers: { Host: null } }), 'VALIDATION_FAILED'],
  ['a broken Host', encodeRequest('GET /api/auth/session', { headers: { Host: 'a b' } }), 'VALIDATION_FAILED'],
  [
    'a Host with a path',
    encodeRequest('GET /api/auth/session', { headers: { Host: 'evil.example/x?' } }),
    'VALIDATION_FAILED',
  ],
  [
    'two Hosts',
    encodeRequest('GET /api/auth/session', { headers: { Host: 'localhost:3000\r\nHost: localhost:3000' } }),
    'VALIDATION_FAILED',
  ],
  ['a fragment', encodeRequest('GET /api/auth/session#x'), 'VALIDATION_FAILED'],
  ['an asterisk', encodeRequest('GET *'), 'VALIDATION_FAILED'],
  ['a header without name', encodeRequest('GET /api/auth/session', { headers: { ' ': 'x' } }), 'VALIDATION_FAILED'],
  ['a NUL in a header', encodeRequest('GET /api/auth/session', { headers: { 'X-A': 'a\0b' } }), 'VALIDATION_FAILED'],
  [
    '20 KB of headers',
    encodeRequest('GET /api/auth/session', { headers: { Cookie: 'x'.repeat(20_000) } }),
    'HEADERS_TOO_LARGE',
  ],
  ['a URL of 20 KB', encodeRequest(`GET /api/auth/session?${'x'.repeat(20_000)}`), 'HEADERS_TOO_LARGE'],
  ['a broken length', encodeRequest(post, { headers: { 'Content-Length': '1x' } }), 'VALIDATION_FAILED'],
  ['a negative length', encodeRequest(post, { headers: { 'Content-Length': '-1' } }), 'VALIDATION_FAILED'],
  ['two lengths', encodeRequest(post, { body: '{}', headers: { 'content-length': '3' } }), 'VALIDATION_FAILED'],
  [
    'a length and chunks',
    encodeRequest(post, { body: '{}', headers: { 'Transfer-Encoding': 'chunked' } }),
    'VALIDATION_FAILED',
  ],
  ['a huge announced body', encodeRequest(post, { headers: { 'Content-Length': '99999999999' } }), 'PAYLOAD_TOO_LARGE'],
])('a request with %s', (_what, request, code) => {
  it('is refused in the common error shape with the headers of every response', async () => {
    const { server } = await createTestServer();
    const response = await exchange(await serve(server), request);
    expect(refusalOf(response)).toBe(code);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\w-]+$/),
    });
  });
});

it('ignores an unknown expectation of a client', async () => {
  const { server } = await createTestServer();
  const response = await exchange(
    await serve(server),
    encodeRequest('GET /api/auth/session', { headers: { Expect: 'miracles' } }),
  );
  expect([response.status, response.text]).toEqual([200, '{"session":null}']);
});

it('responds to a body that breaks off with a refusal alone, and stays up', async () => {
  const { server, client } = await createTestServer();
  const socket = connect(await serve(server), '127.0.0.1');
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' };
  socket.end(`${encodeRequest(post, { headers })}{"email":`);
  expect(await text(socket)).toMatch(/^(HTTP\/1\.1 400 |$)/);
  expect((await client().get('/api/auth/session')).status).toBe(200);
});

it('survives a CONNECT whose sender resets the connection', async () => {
  const { server } = await createTestServer();
  const port = await serve(server);
  for (let times = 0; times < 50; times++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(`${encodeRequest('CONNECT evil.example:443')}${'x'.repeat(times * 1000)}`);
    await once(socket, times % 2 === 0 ? 'connect' : 'data');
    socket.resetAndDestroy();
  }
  const response = await exchange(port, encodeRequest('GET /healthz'));
  expect(response.status).toBe(200);
});

it.each(['CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', 'hello\r\n\r\n', 'GET /'])(
  'stops even if a client keeps its connection open after %j',
  async (request) => {
    const { server } = await createTestServer();
    const listener = await listen(server, { port: 0 });
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await new Promise<void>((resolve) => socket.write(request, () => resolve()));
    await exchange(listener.port, encodeRequest('GET /healthz'));
    await expect(listener.stop(100)).resolves.toBeUndefined();
  },
);
