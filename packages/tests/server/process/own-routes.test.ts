import { type Auth, createScryptHasher, createAuth } from '@x/auth';
import { createApiRequest, createAuthRoutes, requireRole, requireSession, session } from '@x/auth/hono';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { type LogLine, recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { type TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer } from '../../support/test-server.ts';
import { generateKeys, readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** An app with routes of its own, and the paths that its handlers saw. */
interface OwnApp {
  readonly auth: Auth;
  readonly lines: readonly LogLine[];
  readonly handled: string[];
  readonly client: () => TestClient;
}

/** Adds routes that an app might have; each returns the caller as JSON. */
function addOwnRoutes(app: Hono, auth: Auth): string[] {
  const handled: string[] = [];
  for (const method of ['get', 'post'] as const) {
    app[method]('/hello', session(auth), (c) => {
      handled.push(c.req.path);
      return c.json({ seen: c.var.session?.user.email ?? null });
    });
    app[method]('/me', requireSession(auth), (c) => {
      handled.push(c.req.path);
      const { id, expiresAt, claims, user } = c.var.session;
      return c.json({ seen: user.email, session: { id, expiresAt, claims, user } });
    });
    app[method]('/admin', requireRole(auth, ['admin', 'owner']), (c) => {
      handled.push(c.req.path);
      return c.json({ seen: c.var.principal.role });
    });
  }
  app.post('/plain', requireSession(auth, { csrf: 'fetch-metadata' }), (c) =>
    c.json({ seen: c.var.session.user.email }),
  );
  app.get('/nobody', requireRole(auth, []), (c) => c.json({ seen: c.var.principal.userId }));
  app.get('/both', session(auth), requireSession(auth), requireRole(auth, 'user'), (c) =>
    c.json({ seen: c.var.session.user.email }),
  );
  return handled;
}

/** An app that mounts the auth routes itself, without our middleware or `onError`. */
async function createMounted(): Promise<OwnApp> {
  const { logger, lines } = recordingLogger();
  const auth = await createAuth({
    production: false,
    baseUrl: 'http://localhost:3000',
    session: { strategy: 'jwt', algorithm: 'ES256' },
    passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
    ...{ logger, ...generateKeys().pem },
  });
  const app = new Hono().route('/api/auth', createAuthRoutes(auth));
  const handled = addOwnRoutes(app, auth);
  const client = (): TestClient => new TestClient('http://localhost:3000', (request) => app.fetch(request));
  return { auth, lines, handled, client };
}

/** An app that adds its routes to those of a server. */
async function createAdded(): Promise<OwnApp> {
  const { logger, lines } = recordingLogger();
  const { server, client } = await createTestServer({ logger });
  return { auth: server.auth, lines, handled: addOwnRoutes(server.app, server.auth), client: () => client() };
}

const seenBy = (response: TestResponse): unknown => (response.status === 200 ? response.body : refusalOf(response));

describe.each([
  ['an app that mounts the auth routes', createMounted],
  ["a server's app", createAdded],
])('in %s', (_title, createOwnApp) => {
  it('session() provides the caller or null, and lets every request pass', async () => {
    const { client } = await createOwnApp();
    const browser = client();
    expect(seenBy(await browser.get('/hello'))).toEqual({ seen: null });
    await browser.post('/api/auth/signup', ada);
    expect(seenBy(await browser.get('/hello'))).toEqual({ seen: ada.email });
    const token = browser.cookies.get('app.sid')!;
    expect(seenBy(await client().get('/hello', { headers: { authorization: `Bearer ${token}` } }))).toEqual({
      seen: ada.email,
    });
    for (const headers of [
      { cookie: 'app.sid=x' },
      { authorization: 'Bearer x' },
      { cookie: `app.sid=x; app.sid=${token}` },
    ]) {
      expect(seenBy(await client().get('/hello', { headers }))).toEqual({ seen: null });
    }
  });

  it('requireSession() provides the session of GET /session, and refuses an anonymous caller with 401', async () => {
    const { client, handled, lines } = await createOwnApp();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const shown = (await browser.get('/api/auth/session')).body.session;
    expect(seenBy(await browser.get('/me'))).toEqual({ seen: ada.email, session: shown });
    expect(seenBy(await browser.get('/both'))).toEqual({ seen: ada.email });

    const anonymous = await client().get('/me');
    expect([anonymous.status, anonymous.body]).toEqual([
      401,
      { error: { code: 'UNAUTHENTICATED', message: 'You are not signed in.' } },
    ]);
    expect(anonymous.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(anonymous.headers.getSetCookie()).toEqual([]);
    expect(refusalOf(await client().get('/both'))).toBe('UNAUTHENTICATED');
    await browser.post('/api/auth/signout');
    expect(refusalOf(await browser.get('/me'))).toBe('UNAUTHENTICATED');
    expect(handled).toEqual(['/me']);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('requireSession() takes Sec-Fetch-Site in place of the header only where the route says so', async () => {
    const { client } = await createOwnApp();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const headers = { 'x-app-request': null, 'sec-fetch-site': 'same-origin' };
    expect(seenBy(await browser.post('/plain', undefined, { headers }))).toEqual({ seen: ada.email });
    expect(refusalOf(await browser.post('/me', undefined, { headers }))).toBe('CSRF_FAILED');
    const crossSite = { headers: { ...headers, 'sec-fetch-site': 'cross-site' } };
    expect(refusalOf(await browser.post('/plain', undefined, crossSite))).toBe('CSRF_FAILED');
  });

  it('requireRole() refuses another role with 403, which is logged, and an anonymous caller with 401', async () => {
    const { client, handled, lines } = await createOwnApp();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const refused = await browser.get('/admin?secret=1');
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: { code: 'FORBIDDEN', message: 'Your role does not allow this.' } },
    ]);
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { method: 'GET', path: '/admin', code: 'FORBIDDEN' }, message: 'request refused' },
    ]);
    expect(JSON.stringify(lines)).not.toContain(browser.cookies.get('app.sid'));
    expect(refusalOf(await browser.post('/admin', { a: 1 }))).toBe('FORBIDDEN');
    expect(refusalOf(await browser.get('/nobody'))).toBe('FORBIDDEN');
    expect(refusalOf(await client().get('/admin'))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await client().get('/nobody'))).toBe('UNAUTHENTICATED');
    expect(handled).toEqual([]);
  });

  it('a request that writes gets no session unless a page of the app sent it', async () => {
    const { auth, client, handled } = await createOwnApp();
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    await auth.admin.setRole(id, 'admin');
    await browser.post('/api/auth/refresh');
    const bearer = { authorization: `Bearer ${browser.cookies.get('app.sid')}`, origin: null, 'x-app-request': null };
    for (const path of ['/hello', '/me', '/admin']) {
      for (const headers of [{ origin: 'https://evil.example' }, { origin: null }, { 'x-app-request': null }]) {
        expect(refusalOf(await browser.post(path, {}, { headers }))).toBe('CSRF_FAILED');
        expect(refusalOf(await client().post(path, {}, { headers }))).toBe('CSRF_FAILED');
      }
      expect(refusalOf(await browser.post(path, {}, { headers: bearer }))).toBe('CSRF_FAILED');
    }
    expect(handled).toEqual([]);
    for (const path of ['/hello', '/me', '/admin']) {
      expect((await browser.post(path, {})).status).toBe(200);
      expect((await client().post(path, {}, { headers: bearer })).status).toBe(200);
    }
  });

  it('requireRole() checks the current role: a change invalidates the old JWT at once', async () => {
    const { auth, client } = await createOwnApp();
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    for (const [role, outcome] of [
      ['admin', { seen: 'admin' }],
      ['owner', { seen: 'owner' }],
      ['user', 'FORBIDDEN'],
      ['Admin', 'FORBIDDEN'],
      ['admin2', 'FORBIDDEN'],
    ] as const) {
      await auth.admin.setRole(id, role);
      const old = browser.cookies.get('app.sid');
      expect(seenBy(await browser.get('/admin'))).toBe('UNAUTHENTICATED');
      expect(seenBy(await browser.get('/hello'))).toEqual({ seen: null });
      await browser.post('/api/auth/refresh');
      expect(seenBy(await browser.get('/admin'))).toEqual(outcome);
      expect(seenBy(await client().get('/admin', { headers: { cookie: `app.sid=${old}` } }))).toBe('UNAUTHENTICATED');
    }
    await auth.admin.disableUser(id);
    expect(seenBy(await browser.get('/me'))).toBe('UNAUTHENTICATED');
  });

  it('many concurrent callers are each identified as themselves', async () => {
    const { client } = await createOwnApp();
    const browsers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const browser = client();
        await browser.post('/api/auth/signup', { ...ada, email: `user${index}@example.com` });
        return browser;
      }),
    );
    const seen = await Promise.all(browsers.map(async (browser) => seenBy(await browser.get('/me'))));
    expect(seen).toMatchObject(browsers.map((_, index) => ({ seen: `user${index}@example.com` })));
    const sids = browsers.map(({ cookies }) => readToken(cookies.get('app.sid')!).payload['sid']);
    expect(seen).toMatchObject(sids.map((id) => ({ session: { id } })));
  });
});

it("gives an app's own routes the client address that trustProxy finds", async () => {
  const { server, client } = await createTestServer({ auth: { trustProxy: 1 } });
  const apiRequest = createApiRequest(server.auth);
  server.app.get('/whose', (c) => c.json({ seen: apiRequest(c).ipAddress }));
  const headers = { 'x-forwarded-for': '198.51.100.9, ::ffff:192.0.2.1' };
  expect(seenBy(await client('10.0.0.1').get('/whose', { headers }))).toEqual({ seen: '192.0.2.1' });
});

it('adds its headers to the responses of the app, and to the refusals of its middleware', async () => {
  const { client, auth } = await createAdded();
  const browser = client();
  const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
  const headersOf = async (path: string): Promise<readonly unknown[]> => {
    const { status, headers } = await browser.get(path, { headers: { 'x-request-id': 'req-1' } });
    const names = ['content-security-policy', 'x-content-type-options', 'referrer-policy', 'x-request-id'];
    return [status, ...names.map((name) => headers.get(name))];
  };
  const framed = ["default-src 'none'; frame-ancestors 'none'", 'nosniff', 'no-referrer', 'req-1'];
  expect(await headersOf('/hello')).toEqual([200, ...framed]);
  expect(await headersOf('/me')).toEqual([200, ...framed]);
  expect(await headersOf('/admin')).toEqual([403, ...framed]);
  await auth.admin.disableUser(id);
  expect(await headersOf('/me')).toEqual([401, ...framed]);
});

it('leaves the error handling to an app that mounts the auth routes', async () => {
  const { logger, lines } = recordingLogger();
  const auth = await createAuth({
    production: false,
    session: { strategy: 'jwt', algorithm: 'ES256' },
    logger,
    ...generateKeys().pem,
  });
  const app = new Hono().route('/api/auth', createAuthRoutes(auth));
  app.onError((error, c) => c.text(`own: ${error.message}`, 500));
  app.get('/broken', session(auth), () => {
    throw new Error('broken');
  });
  const broken = await app.request('/broken');
  expect([broken.status, await broken.text()]).toEqual([500, 'own: broken']);
  const refused = await app.request('/api/auth/signout', { method: 'POST' });
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'CSRF_FAILED' } }]);
  expect(refused.headers.get('cache-control')).toBe('no-store');
  expect(lines.map(({ message }) => message)).toEqual(['request refused']);
});
