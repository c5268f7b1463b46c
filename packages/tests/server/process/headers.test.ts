import { describe, expect, it, vi } from 'vitest';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestServer, type TestServer } from '../../support/test-server.ts';
import { generateKeys, readToken } from '../../support/token-forge.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const requestId = /^[0-9a-f]{12}-[0-9a-z]+$/;

type Send = (server: TestServer) => Promise<TestResponse>;

/** One request for each kind of response below `/api/auth`, by its status. */
const requests: readonly (readonly [status: number, what: string, send: Send])[] = [
  [201, 'a sign-up', ({ client }) => client().post('/api/auth/signup', ada)],
  [200, 'a sign-out', ({ client }) => client().post('/api/auth/signout')],
  [200, 'no session', ({ client }) => client().get('/api/auth/session')],
  [200, 'HEAD', ({ client }) => client().send('/api/auth/session', { method: 'HEAD' })],
  [200, 'the JWKS', ({ client }) => client().get('/api/auth/.well-known/jwks.json')],
  [204, 'a preflight', ({ client }) => client().send('/api/auth/signin', { method: 'OPTIONS' })],
  [400, 'broken JSON', ({ client }) => client().send('/api/auth/signin', { method: 'POST', raw: '{' })],
  [400, 'no input', ({ client }) => client().post('/api/auth/signin', {})],
  [401, 'wrong credentials', ({ client }) => client().post('/api/auth/signin', ada)],
  [403, 'a forgery', ({ client }) => client().post('/api/auth/signin', ada, { headers: { origin: 'null' } })],
  [404, 'no route', ({ client }) => client().get('/api/auth/nothing')],
  [404, 'the root', ({ client }) => client().get('/api/auth')],
  [404, 'a wrong encoding', ({ client }) => client().get('/api/auth/%ff%zz')],
  [405, 'another method', ({ client }) => client().get('/api/auth/signin')],
  [405, 'HEAD of a POST', ({ client }) => client().send('/api/auth/signin', { method: 'HEAD' })],
  [413, 'a large body', ({ client }) => client().post('/api/auth/signin', 'x'.repeat(300_000))],
  [415, 'a form', ({ client }) => client().post('/api/auth/signin', {}, { headers: { 'content-type': 'text/plain' } })],
  [500, 'a fault', failingWith(new Error('SELECT password FROM users'))],
];

function failingWith(error: Error): Send {
  return async ({ server, client }) => {
    vi.spyOn(server.stores.users, 'findByLoginEmail').mockRejectedValueOnce(error);
    return client().post('/api/auth/signin', ada);
  };
}

describe.each(requests)('the response %i to %s', (status, _what, send) => {
  it('is not stored by caches, and has the headers of every response', async () => {
    const response = await send(await createTestServer({ auth: { trustedOrigins: ['https://a.example'] } }));
    expect(response.status).toBe(status);
    const sentHeaders = Object.fromEntries(response.headers);
    expect(sentHeaders).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(requestId),
    });
    expect(sentHeaders['content-type']).toBe(status === 204 ? undefined : 'application/json; charset=utf-8');
    expect(sentHeaders).not.toHaveProperty('strict-transport-security');
  });

  it('makes browsers use HTTPS if the app is served over it', async () => {
    const auth = { production: true, baseUrl: 'https://localhost:3000', ...generateKeys().pem } as const;
    const trustedOrigins = ['https://a.example', 'http://localhost:3000'];
    const { headers } = await send(await createTestServer({ auth: { ...auth, trustedOrigins } }));
    const maxAge = /^max-age=(\d+)/.exec(headers.get('strict-transport-security') ?? '')?.[1];
    expect(Number(maxAge)).toBeGreaterThanOrEqual(31_536_000);
  });
});

it.each([
  ['/healthz', 200],
  ['/readyz', 200],
  ['/', 404],
  ['/nothing', 404],
  ['/api', 404],
  ['/api/nothing', 404],
])('sends the headers of every response at %s', async (path, status) => {
  const { client } = await createTestServer();
  const response = await client().get(path);
  expect(response.status).toBe(status);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': 'application/json; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(requestId),
  });
});

it.each(['a', 'req-1', 'A_b-9', '0af7651916cd43dd8448eb211c80319c'])('keeps the request id %s', async (id) => {
  const { client } = await createTestServer();
  for (const path of ['/healthz', '/nothing', '/api/auth/session']) {
    expect((await client().get(path, { headers: { 'x-request-id': id } })).headers.get('x-request-id')).toBe(id);
  }
});

it.each(['', ' ', 'a b', 'a,b', '<script>', 'é', "a'b", 'x'.repeat(300), '{"a":1}', '%0d%0aSet-Cookie:x'])(
  'replaces the request id %j',
  async (id) => {
    const { client } = await createTestServer();
    const { headers } = await client().get('/api/auth/session', { headers: { 'x-request-id': id } });
    expect(headers.get('x-request-id')).toMatch(requestId);
  },
);

it('responds to HEAD as to GET, with the length of the body in place of it', async () => {
  const { client } = await createTestServer();
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  for (const path of ['/api/auth/session', '/api/auth/.well-known/jwks.json', '/healthz', '/readyz', '/nothing']) {
    const headers = { 'x-request-id': 'same' };
    const get = await browser.get(path, { headers });
    const head = await browser.send(path, { method: 'HEAD', headers });
    const { 'content-length': length, ...others } = Object.fromEntries(head.headers);
    expect([head.status, head.text, others]).toEqual([get.status, '', Object.fromEntries(get.headers)]);
    expect(length).toBe(String(Buffer.byteLength(get.text)));
  }
});

it('lists the methods of a path if another one is used', async () => {
  const { client } = await createTestServer();
  const methods = { signup: ['POST'], signin: ['POST'], signout: ['POST'], session: ['GET', 'HEAD'] };
  for (const [path, allowed] of Object.entries({ ...methods, '.well-known/jwks.json': ['GET', 'HEAD'] })) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (m) => !allowed.includes(m),
    )) {
      const { status, headers } = await client().send(`/api/auth/${path}`, { method });
      expect([status, headers.get('allow')?.split(', ')]).toEqual([405, allowed]);
    }
  }
});

it('reveals nothing about the software of the server', async () => {
  const { server } = await createTestServer();
  const port = await serve(server);
  for (const line of ['GET /api/auth/session', 'GET /nothing', 'POST /api/auth/signin', 'BREW /']) {
    const { headers, text } = await exchange(port, encodeRequest(line));
    expect([...headers.keys()]).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(server|via|x-powered-by)$/)]),
    );
    expect(`${JSON.stringify([...headers])}${text}`).not.toMatch(/hono|node\b|express|\bv?\d+\.\d+\.\d+/i);
  }
});

it('puts the Host of a request into neither the response nor the JWT', async () => {
  const { server } = await createTestServer();
  const port = await serve(server);
  const hosts = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
  const request = encodeRequest('POST /api/auth/signup', { headers: hosts, body: JSON.stringify(ada) });
  const response = await exchange(port, request);
  expect(response.status).toBe(201);
  expect(`${JSON.stringify([...response.headers])}${response.text}`).not.toContain('evil');
  const token = /app\.sid=([^;]+)/.exec(response.headers.getSetCookie()[0]!)![1]!;
  expect(readToken(token).payload).toMatchObject({ iss: 'http://localhost:3000', aud: 'http://localhost:3000' });
});
