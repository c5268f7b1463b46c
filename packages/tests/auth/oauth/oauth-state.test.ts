import { createAuth } from '@x/auth';
import { createAuthRoutes } from '@x/auth/hono';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { signIdToken, startFakeProvider } from '../../support/fake-provider.ts';
import { createOAuthServer, locationOf, providersOf, signInBy, start } from '../../support/oauth-server.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';

const ada = { sub: 'g-1', id: 1, email: 'ada@example.com', email_verified: true };

const invalid = '/auth/error?error=invalid_state';

function flowCookies(client: TestClient): readonly string[] {
  return [...client.cookies.keys()].filter((name) => name.startsWith('app.oauth.'));
}

function clearedBy({ headers }: TestResponse): readonly string[] {
  return headers
    .getSetCookie()
    .filter((cookie) =>
      /^app\.oauth\.[\w-]{12}=; Max-Age=0; Path=\/(api(\/auth(\/oauth)?)?)?; HttpOnly; Secure; SameSite=Lax$/.test(
        cookie,
      ),
    );
}

it('starts no session for a state that is missing, malformed, unknown, repeated or of another flow', async () => {
  const { server, fake, client } = await createOAuthServer();
  const other = new URL(await start(client(), 'google')).searchParams.get('state') ?? '';
  const spoil: readonly ((query: URLSearchParams) => void)[] = [
    (query) => query.delete('state'),
    (query) => query.set('state', ''),
    (query) => query.set('state', 'x'),
    (query) => query.set('state', '__proto__'),
    (query) => query.set('state', `${query.get('state')}x`),
    (query) => query.set('state', other),
    (query) => query.set('state', `${query.get('state')?.slice(0, 12)}${other.slice(12)}`),
    (query) => query.append('state', query.get('state') ?? ''),
    (query) => query.append('state', other),
  ];
  for (const change of spoil) {
    const browser = client();
    const back = new URL(fake.consent(await start(browser, 'google'), ada), 'http://localhost');
    change(back.searchParams);
    expect(locationOf(await browser.get(back.pathname + back.search))).toBe(invalid);
    expect([...browser.cookies.keys()].filter((name) => !name.startsWith('app.oauth.'))).toEqual([]);
  }
  for (const query of [
    'state=%zz&code=%',
    'code=1&state=%00',
    '?',
    '&&=&',
    'state[]=1',
    'state=%F0%9F%98%80',
    `state=${'x'.repeat(8000)}`,
  ]) {
    expect(locationOf(await client().get(`/api/auth/oauth/google/callback?${query}`))).toBe(invalid);
  }
  expect((await server.stores.users.list({ limit: 1, after: null })).items).toEqual([]);
  expect(fake.calls).toEqual([]);
});

it('starts no session for a cookie that is missing, tampered with, ambiguous, or of another flow or key', async () => {
  const { server, fake, client } = await createOAuthServer();
  const foreignServer = await createTestServer({ auth: { ...providersOf(fake), oauthEncryptionKey: 'another text' } });
  const foreignBrowser = foreignServer.client();
  await start(foreignBrowser, 'google');
  const [foreignCookie = ''] = foreignBrowser.cookies.values();
  const spoil: readonly ((value: string) => string | null)[] = [
    () => null,
    () => '',
    (value) => `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`,
    (value) => `${value.slice(0, 60)}${value[60] === 'A' ? 'B' : 'A'}${value.slice(61)}`,
    (value) => value.slice(0, -4),
    (value) => `${value}=`,
    (value) => `${value}AAAA`,
    () => 'A'.repeat(400),
    () => '%ff"é',
    () => foreignCookie,
  ];
  for (const change of spoil) {
    const browser = client();
    const back = fake.consent(await start(browser, 'google'), ada);
    const [name = '', value = ''] = [...browser.cookies][0] ?? [];
    const changed = change(value);
    const headers = { cookie: changed === null ? null : Buffer.from(`${name}=${changed}`).toString('latin1') };
    expect(locationOf(await browser.get(back, { headers }))).toBe(invalid);
    const tossed = `${name}=${value}; ${name}=${foreignCookie}`;
    expect(locationOf(await browser.get(back, { headers: { cookie: tossed } }))).toBe(invalid);
  }
  const [first, second] = [client(), client()];
  const path = fake.consent(await start(first, 'google'), ada);
  await start(second, 'google');
  const [name = ''] = first.cookies.keys();
  const [foreign = ''] = second.cookies.values();
  expect(locationOf(await first.get(path, { headers: { cookie: `${name}=${foreign}` } }))).toBe(invalid);
  expect((await server.stores.users.list({ limit: 1, after: null })).items).toEqual([]);
  expect(fake.calls).toEqual([]);
});

it('accepts a flow for less than ten minutes', async () => {
  const { fake, client, clock } = await createOAuthServer();
  const [early, late] = [client(), client()];
  const [inTime, tooLate] = [
    fake.consent(await start(early, 'github'), ada),
    fake.consent(await start(late, 'github'), ada),
  ];
  clock.advance(599_999);
  expect(locationOf(await early.get(inTime))).toBe('/');
  clock.advance(1);
  expect(locationOf(await late.get(tooLate))).toBe(invalid);
});

it('refuses to complete a flow at another provider, and leaves it usable', async () => {
  const { fake, client } = await createOAuthServer();
  const browser = client();
  const path = fake.consent(await start(browser, 'google'), ada);
  const cookies = [...browser.cookies];
  for (const other of ['github', 'discord', 'company']) {
    expect(locationOf(await browser.get(path.replace('google', other)))).toBe(invalid);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
  }
  expect(fake.calls).not.toContain('/token');
  expect(locationOf(await browser.get(path))).toBe('/');
});

it('refuses a response of another issuer before calling the provider, and accepts one of the right issuer', async () => {
  const { fake, client } = await createOAuthServer();
  for (const provider of ['google', 'github', 'discord', 'company']) {
    const browser = client();
    const back = fake.consent(await start(browser, provider), ada);
    const calls = fake.calls.length;
    expect(locationOf(await browser.get(`${back}&iss=https%3A%2F%2Fevil.example.com`))).toBe(invalid);
    expect(fake.calls).toHaveLength(calls);
    const next = fake.consent(await start(browser, provider), { ...ada, id: provider === 'github' ? 1 : '1' });
    expect(locationOf(await browser.get(`${next}&iss=${encodeURIComponent(fake.url)}`))).toBe('/');
  }
});

it('completes the flows of two tabs, and clears the cookie of each', async () => {
  const { fake, client } = await createOAuthServer();
  const browser = client();
  const [first, second] = [await start(browser, 'google'), await start(browser, 'github')];
  expect(flowCookies(browser)).toHaveLength(2);
  expect(locationOf(await browser.get(fake.consent(second, ada)))).toBe('/');
  expect(flowCookies(browser)).toHaveLength(1);
  expect(locationOf(await browser.get(fake.consent(first, ada)))).toBe('/');
  expect(flowCookies(browser)).toEqual([]);
});

it('clears the cookie for any outcome of the callback', async () => {
  const { server, fake, client } = await createOAuthServer();
  const outcomes: readonly ((path: string) => string)[] = [
    (path) => path,
    (path) => path.replace(/code=[^&]*/, 'code=unknown'),
    (path) => path.replace(/code=[^&]*&/, ''),
    (path) => `${path}&error=access_denied`,
    (path) => path.replace('google', 'discord'),
    (path) => path.replace(/.(?=$|&)/, '_'),
    (path) => path.replace(/state=.*/, ''),
    (path) => path.replace(/state=.*/, 'state=malformed'),
  ];
  for (const spoil of outcomes) {
    const browser = client();
    const response = await browser.get(spoil(fake.consent(await start(browser, 'google'), ada)));
    expect(response.status).toBe(302);
    expect(new Set(clearedBy(response).map((cookie) => cookie.split('=')[0])).size).toBe(1);
    expect(flowCookies(browser)).toEqual([]);
  }
  const browser = client();
  const path = fake.consent(await start(browser, 'google'), ada);
  await server.stores.close();
  const failed = await browser.get(path);
  expect(failed.status).toBeGreaterThanOrEqual(500);
  expect(failed.headers.getSetCookie()).toEqual(clearedBy(failed));
  expect(flowCookies(browser)).toEqual([]);
});

it.each(engines)('starts at most one session for 20 callbacks with one URL and one cookie on %s', async (engine) => {
  const { server, fake, client } = await createOAuthServer({ engine });
  const browser = client();
  const path = fake.consent(await start(browser, 'google'), ada);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const responses = await Promise.all(Array.from({ length: 20 }, () => client().get(path, { headers: { cookie } })));
  expect(responses.map(locationOf).filter((location) => location === '/')).toHaveLength(1);
  expect(responses.map(locationOf).filter((location) => location === invalid)).toHaveLength(19);
  expect(fake.calls.filter((call) => call === '/token')).toHaveLength(1);
  const [user, ...others] = (await server.stores.users.list({ limit: 10, after: null })).items;
  expect(others).toEqual([]);
  expect(user && (await server.stores.sessions.countActive(user.id))).toBe(1);
  expect(locationOf(await client().get(path, { headers: { cookie } }))).toBe(invalid);
});

it('accepts a state that an older key encrypted, and refuses one of a removed key', async () => {
  const { fake } = await createOAuthServer();
  const begun = await createTestServer({ auth: { ...providersOf(fake), oauthEncryptionKey: ['old'] } });
  for (const [oauthEncryptionKey, location] of [
    [['new', 'old'], '/'],
    [['new'], invalid],
  ] as const) {
    const browser = begun.client();
    const path = fake.consent(await start(browser, 'github'), ada);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const next = await createTestServer({ auth: { ...providersOf(fake), oauthEncryptionKey } });
    expect(locationOf(await next.client().get(path, { headers: { cookie } }))).toBe(location);
  }
});

it('accepts neither a state nor an ID token as a session, nor a session as a state', async () => {
  const { fake, client } = await createOAuthServer();
  const browser = client();
  let idToken = '';
  fake.idToken = async (claims, keys) => (idToken = await signIdToken(claims, keys));
  const url = await start(browser, 'google');
  const [name = '', state = ''] = [...browser.cookies][0] ?? [];
  await signInBy({ client: browser, fake }, 'google', ada);
  const session = browser.cookies.get('app.sid') ?? '';
  for (const token of [state, idToken]) {
    const headers = { cookie: `app.sid=${token}; app.ref=${token}` };
    expect((await client().get('/api/auth/session', { headers })).body).toEqual({ session: null });
    expect((await client().get('/api/auth/sessions', { headers })).status).toBe(401);
    expect((await client().post('/api/auth/refresh', undefined, { headers })).status).toBe(401);
  }
  const headers = { cookie: `${name}=${session}` };
  expect(locationOf(await client().get(fake.consent(url, ada), { headers }))).toBe(invalid);
});

it('is neither started nor completed by HEAD, which counts no attempt and leaves the code for the browser', async () => {
  const { server, fake, client } = await createOAuthServer();
  const browser = client('192.0.2.1');
  const back = fake.consent(await start(browser, 'google'), ada);
  const asked = ['/api/auth/oauth/google', back, back.replace('/oauth/', '/%6fauth/')];
  for (const path of [...asked, ...Array.from({ length: 30 }, () => '/api/auth/oauth/google')]) {
    const response = await browser.send(path, { method: 'HEAD' });
    expect([response.status, response.headers.get('allow'), response.text]).toEqual([405, 'GET', '']);
    expect(response.headers.getSetCookie()).toEqual([]);
  }
  expect([fake.calls, await server.stores.users.list({ limit: 1, after: null })]).toMatchObject([[], { items: [] }]);
  await start(browser, 'google');
  expect(locationOf(await browser.get(back))).toBe('/');
  expect(browser.cookies.has('app.sid')).toBe(true);
});

it('is not started by HEAD where the routes are mounted alone', async () => {
  const fake = await startFakeProvider(() => new Date());
  const auth = await createAuth({
    production: false,
    baseUrl: 'http://localhost:3000',
    session: { strategy: 'jwt', algorithm: 'ES256' },
    ...providersOf(fake),
    ...generateKeys().pem,
  });
  const app = new Hono().route('/api/auth', createAuthRoutes(auth));
  const head = await app.request('/api/auth/oauth/google', { method: 'HEAD' });
  expect([head.status, head.headers.get('allow'), head.headers.getSetCookie()]).toEqual([405, 'GET', []]);
  expect((await app.request('/api/auth/providers', { method: 'HEAD' })).status).toBe(200);
});

it('is kept for five flows of a browser at most: a start clears the oldest', async () => {
  const { fake, client } = await createOAuthServer();
  const browser = client();
  const long = `?redirectTo=${encodeURIComponent(`/?${'a'.repeat(1022)}`)}`;
  const back: string[] = [];
  for (let flow = 0; flow < 12; flow++) {
    back.push(fake.consent(await start(browser, flow % 2 === 0 ? 'google' : 'github', long), { ...ada, id: 1 }));
    expect(flowCookies(browser)).toHaveLength(Math.min(flow + 1, 5));
  }
  const sent = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  expect(sent.length).toBeLessThan(12_000);
  expect(locationOf(await browser.get(back[6] ?? ''))).toBe(invalid);
  for (const path of back.slice(7)) expect(locationOf(await browser.get(path))).toMatch(/^\/\?a+$/);
  expect(flowCookies(browser)).toEqual([]);
});

it('makes room by clearing cookies that are no state of ours before the flows in progress', async () => {
  const { fake, client } = await createOAuthServer();
  const browser = client();
  const back = fake.consent(await start(browser, 'google'), ada);
  for (let planted = 0; planted < 20; planted++) browser.cookies.set(`app.oauth.planted${planted + 10000}`, 'x');
  await start(browser, 'google');
  expect(flowCookies(browser)).toHaveLength(5);
  expect(locationOf(await browser.get(back))).toBe('/');
});

it('is cleared for some planted cookies at a time, so that no response is much longer than its request', async () => {
  const { client } = await createOAuthServer();
  const browser = client();
  for (let planted = 0; planted < 500; planted++) browser.cookies.set(`app.oauth.planted${planted + 10000}`, 'x');
  for (const path of ['/api/auth/oauth/google', '/api/auth/oauth/google/callback']) {
    const { headers } = await browser.get(path);
    expect(headers.getSetCookie().join('').length).toBeLessThan(10_000);
  }
  for (let attempt = 0; attempt < 30; attempt++) await browser.get('/api/auth/oauth/google/callback');
  expect(flowCookies(browser)).toEqual([]);
});
