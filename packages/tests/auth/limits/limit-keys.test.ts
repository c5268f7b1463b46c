import type { EventRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { TestClient, type TestResponse } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer, type TestServerOptions } from '../../support/test-server.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const password = 'correct horse battery';

/** A server that allows two sign-ins and two sign-ups per key. */
function createLimitedServer({ auth, ...options }: TestServerOptions = {}): Promise<TestServer> {
  return createTestServer({ ...options, auth: { emailPassword: { rateLimit: { maxAttempts: 2 } }, ...auth } });
}

async function signIn({ client }: TestServer, email: string, path = '/api/auth/signin'): Promise<string> {
  return refusalOf(await client().post(path, { email, password: 'wrong' }));
}

describe.each(engines)('the rate-limit key of a sign-in on %s', (engine) => {
  it.each([
    ['ada@example.com', ['ADA@EXAMPLE.COM', 'Ada@Example.Com', ' ada@example.com\t']],
    ['ada@example.com', ['ａｄａ@example.com', 'ａｄａ@ｅｘａｍｐｌｅ.ｃｏｍ', '𝐚𝐝𝐚@example.com', 'ⓐⓓⓐ@example.com']],
    ['josé@example.com', ['jose\u0301@example.com', 'JOSÉ@example.com', 'ＪＯＳＥ\u0301@EXAMPLE.COM']],
    ['ﬁn@example.com', ['fin@example.com', 'FIN@example.com', 'ＦＩＮ@example.com']],
  ])('is the same for %s and all its spellings', async (email, spellings) => {
    const server = await createLimitedServer({ engine });
    expect(await signIn(server, email)).toBe('INVALID_CREDENTIALS');
    expect(await signIn(server, spellings[0]!)).toBe('INVALID_CREDENTIALS');
    for (const spelling of [email, ...spellings]) expect(await signIn(server, spelling)).toBe('RATE_LIMITED');
  });

  it('differs for every other address, however similar, and wherever requests come from', async () => {
    const server = await createLimitedServer({ engine });
    const emails = ['ada@example.com', 'ada@example.co', 'ada@example.com.au', 'ad.a@example.com', 'ada+x@example.com'];
    const alike = [
      'ada:1@example.com',
      'signup:ada@example.com',
      'a%64a@example.com',
      'straße@example.com',
      'strasse@example.com',
    ];
    for (const email of [...emails, ...alike]) {
      expect(await signIn(server, email)).not.toBe('RATE_LIMITED');
      expect(await signIn(server, email)).not.toBe('RATE_LIMITED');
      // Invalid addresses are not counted.
      expect(await signIn(server, email)).toBe(email.includes(':') ? 'VALIDATION_FAILED' : 'RATE_LIMITED');
    }
  });

  it.each([
    ...['/api/auth/Signin', '/api/auth/SIGNIN', '/API/auth/signin', '/api/auth/signin/', '/api/auth//signin'],
    ...['//api/auth/signin', '/api//auth/signin', '/api/auth/signin;x', '/api/auth/signin;x=1', '/api/auth;x/signin'],
    ...['/api/auth/%73ignin', '/api/auth/signi%6E', '/api/auth/signi%6e', '/%61pi/auth/signin', '/api/auth%2Fsignin'],
    ...[
      '/api/auth/signin%2F',
      '/api/auth/signin%20',
      '/api/auth/signin%00',
      '/api/auth/signin%3Fx',
      '/api/auth/%2573ignin',
    ],
    ...[
      '/api/auth/./signin',
      '/api/auth/../auth/signin',
      '/api/auth/x/../signin',
      '/api/auth/signin.',
      '/api/auth/signin.json',
    ],
    ...['/api/auth/signin?x=1', '/api/auth/signin#x', '/api/auth/signin?', '/api/auth\\signin'],
    ...['http://localhost:3000/api/auth/signin', 'http://evil.example/api/auth/%73ignin', '/api/auth/signin%', '*'],
  ])('is the same under the path %s, or the path is unknown', async (path) => {
    const server = await createLimitedServer({ engine });
    const port = await serve(server.server);
    const body = JSON.stringify({ email: 'ada@example.com', password: 'wrong' });
    const outcome = refusalOf(await exchange(port, encodeRequest(`POST ${path}`, { body })));
    expect(['INVALID_CREDENTIALS', 'NOT_FOUND', 'VALIDATION_FAILED']).toContain(outcome);
    expect(await signIn(server, 'ada@example.com')).toBe('INVALID_CREDENTIALS');
    const last = await signIn(server, 'ada@example.com');
    expect(last).toBe(outcome === 'INVALID_CREDENTIALS' ? 'RATE_LIMITED' : 'INVALID_CREDENTIALS');
  });

  it('is the same for requests that differ in other ways', async () => {
    const server = await createLimitedServer({ engine });
    const body = '{"email":"ada@example.com","password":"wrong"}';
    const varied: readonly Readonly<Record<string, string>>[] = [
      ...[{ 'user-agent': 'other' }, { 'accept-language': 'de' }, { 'content-type': 'APPLICATION/JSON; charset=x' }],
      ...[{ 'x-forwarded-for': '192.0.2.9' }, { forwarded: 'for=192.0.2.9' }, { 'x-real-ip': '192.0.2.9' }],
      ...[{ host: 'localhost:9' }, { cookie: 'app.sid=x; app.ref=y' }, { authorization: 'Bearer x' }],
      ...[{ 'x-http-method-override': 'GET' }, { 'x-request-id': 'other' }, { te: 'trailers' }],
    ];
    const outcomes = [];
    for (const headers of varied) {
      const response = await server.client().send('/api/auth/signin', { method: 'POST', raw: body, headers });
      outcomes.push(refusalOf(response));
    }
    expect(outcomes.slice(0, 2)).toEqual(['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS']);
    expect(new Set(outcomes.slice(2))).toEqual(new Set(['RATE_LIMITED']));
  });
});

/** Uses up the refreshes of one address, and returns the error code of the next one from another address. */
async function refreshFrom(
  client: (address: string) => TestClient,
  [used, next]: readonly [Hop, Hop],
): Promise<string> {
  for (let count = 0; count < 10; count += 1) {
    expect(refusalOf(await refresh(client, used))).toBe('SESSION_EXPIRED');
  }
  expect(refusalOf(await refresh(client, used))).toBe('RATE_LIMITED');
  return refusalOf(await refresh(client, next));
}

/** The address of the socket, and the chain of `X-Forwarded-For`. */
type Hop = readonly [socket: string, chain?: string];

function refresh(client: (address: string) => TestClient, [socket, chain]: Hop): Promise<TestResponse> {
  const headers = chain === undefined ? {} : { 'x-forwarded-for': chain };
  return client(socket).post('/api/auth/refresh', undefined, { headers });
}

const same = 'RATE_LIMITED';
const another = 'SESSION_EXPIRED';

describe('the rate-limit key of a refresh', () => {
  it.each<readonly [Hop, Hop, string]>([
    [['192.0.2.1'], ['192.0.2.1'], same],
    [['192.0.2.1'], ['192.0.2.2'], another],
    [['192.0.2.1'], ['::ffff:192.0.2.1'], same],
    [['192.0.2.1'], ['::ffff:c000:201'], same],
    [['192.0.2.1'], ['::192.0.2.1'], another],
    [['::ffff:192.0.2.1'], ['::ffff:192.0.2.2'], another],
    [['2001:db8:1:2:3:4:5:6'], ['2001:DB8:1:2::'], same],
    [['2001:db8:1:2::1'], ['2001:db8:1:2:ffff:ffff:ffff:ffff'], same],
    [['2001:db8:1:2::1'], ['2001:0db8:0001:0002::1'], same],
    [['2001:db8:1:2::1'], ['2001:db8:1:3::1'], another],
    [['2001:db8:1:2::1'], ['2001:db8:2:2::1'], another],
    [['fe80::1%eth0'], ['fe80::2%eth1'], same],
  ])('is made from the address: once %j is used up, %j gets %s', async (used, next, outcome) => {
    const { client } = await createTestServer();
    expect(await refreshFrom(client, [used, next])).toBe(outcome);
  });

  it.each<readonly [Hop, Hop, string]>([
    [['192.0.2.1', '198.51.100.1'], ['192.0.2.1', '198.51.100.2'], same],
    [['192.0.2.1', '198.51.100.1'], ['192.0.2.1'], same],
    [['192.0.2.1', '198.51.100.1'], ['192.0.2.2', '198.51.100.1'], another],
    [['127.0.0.1', '198.51.100.1'], ['127.0.0.1', '198.51.100.2'], same],
  ])('ignores forwarding headers without trustProxy: %j and then %j', async (used, next, outcome) => {
    const { client } = await createTestServer();
    expect(await refreshFrom(client, [used, next])).toBe(outcome);
  });

  it.each<readonly [number | readonly string[], Hop, Hop, string]>([
    [1, ['10.0.0.1', '198.51.100.1'], ['10.0.0.1', '198.51.100.2'], another],
    [1, ['10.0.0.1', '198.51.100.1'], ['10.0.0.2', '198.51.100.1'], same],
    [1, ['10.0.0.1', '1.1.1.1, 198.51.100.1'], ['10.0.0.1', '2.2.2.2, 198.51.100.1'], same],
    [1, ['10.0.0.1', '198.51.100.1, 192.0.2.1'], ['10.0.0.1', '198.51.100.1, 192.0.2.2'], another],
    [2, ['10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2'], ['10.0.0.1', '2.2.2.2, 198.51.100.1, 10.0.0.3'], same],
    [1, ['10.0.0.1', '2001:db8:1:2::1'], ['10.0.0.1', '2001:db8:1:2::2'], same],
    [1, ['10.0.0.1', '::ffff:198.51.100.1'], ['10.0.0.1', '198.51.100.1'], same],
    [1, ['10.0.0.1', 'unknown'], ['10.0.0.1', 'hidden'], same],
    [['10.0.0.0/8'], ['10.0.0.1', '1.1.1.1, 198.51.100.1, 10.9.9.9'], ['10.0.0.2', '2.2.2.2, 198.51.100.1'], same],
    [['10.0.0.0/8'], ['10.0.0.1', '198.51.100.1'], ['10.0.0.1', '198.51.100.2'], another],
    [['10.0.0.0/8'], ['192.0.2.1', '198.51.100.1'], ['192.0.2.1', '198.51.100.2'], same],
  ])('is the rightmost untrusted hop with trustProxy %j: %j and then %j', async (...row) => {
    const [trustProxy, used, next, outcome] = row;
    const { client } = await createTestServer({ auth: { trustProxy } });
    expect(await refreshFrom(client, [used, next])).toBe(outcome);
  });

  it('is the same for all requests without an address, with any headers', async () => {
    const { server, client } = await createTestServer({ auth: { trustProxy: 1 } });
    const nowhere = new TestClient('http://localhost:3000', (request) => server.fetch(request));
    for (let count = 0; count < 10; count += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${count}` };
      expect(refusalOf(await nowhere.post('/api/auth/refresh', undefined, { headers }))).toBe(another);
    }
    expect(refusalOf(await nowhere.post('/api/auth/refresh'))).toBe(same);
    expect(refusalOf(await client('').post('/api/auth/refresh'))).toBe(same);
    expect(refusalOf(await client('/run/app.sock').post('/api/auth/refresh'))).toBe(same);
    expect(refusalOf(await client('192.0.2.1').post('/api/auth/refresh'))).toBe(another);
    expect(await server.auth.api.refreshSession(new Headers())).toMatchObject({ error: { code: same } });
  });
});

it.each([
  [0, '192.0.2.1'],
  [1, '198.51.100.1'],
] as const)('records with trustProxy %d the address %s in sessions and events, too', async (trustProxy, ipAddress) => {
  const published: EventRecord[] = [];
  const auth = { trustProxy, onEvent: (event: EventRecord) => void published.push(event) };
  const { server, client } = await createTestServer({ auth });
  const browser = client('::ffff:192.0.2.1');
  const headers = { 'x-forwarded-for': '1.1.1.1, ::FFFF:198.51.100.1' };
  await browser.post('/api/auth/signup', { email: 'ada@example.com', password }, { headers });
  expect((await browser.get('/api/auth/sessions')).body).toMatchObject({ sessions: [{ ipAddress }] });
  await server.auth.drain();
  expect(published).toMatchObject([{ type: 'user.created', ipAddress }]);
});

it('applies the limits of the routes to auth.api, and shares them', async () => {
  const server = await createTestServer({ auth: { emailPassword: { rateLimit: {} } } });
  const { api } = server.server.auth;
  const codeOf = async (
    outcome: Promise<{ readonly ok: boolean; readonly error?: { readonly code: string } | undefined }>,
  ) => (await outcome).error?.code ?? 'OK';
  const ada = { email: 'ada@example.com', password };
  for (const code of ['OK', 'USER_EXISTS', 'USER_EXISTS', 'RATE_LIMITED']) {
    expect(await codeOf(api.signUp({ ...ada, email: 'ADA@example.com' }))).toBe(code);
  }
  expect(refusalOf(await server.client().post('/api/auth/signup', ada))).toBe('RATE_LIMITED');
  for (const code of ['OK', 'OK', 'OK', 'OK', 'OK', 'RATE_LIMITED']) expect(await codeOf(api.signIn(ada))).toBe(code);
  expect(await signIn(server, ada.email)).toBe('RATE_LIMITED');

  const request = { headers: new Headers(), ipAddress: '::ffff:192.0.2.1' };
  for (let count = 0; count < 10; count += 1) expect(await codeOf(api.refreshSession(request))).toBe(another);
  const limited = await api.refreshSession(request);
  expect(limited).toEqual({ ok: false, error: { code: same, message: expect.any(String), retryAfter: 60 } });
  expect(refusalOf(await server.client('192.0.2.1').post('/api/auth/refresh'))).toBe(same);
});
