import { errorResponse, requireCsrf, requireRole, requireSession, session } from '@x/auth/guards';
import { CodedError, unwrap } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { TestClient, type TestResponse } from '../../support/test-client.ts';
import { createTestServer, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

const byMetadata = { csrf: 'fetch-metadata' } as const;

/** The routes of an app without a framework, and a browser that is signed in to it. */
async function createOwnApp(): Promise<{ readonly test: TestServer; readonly browser: TestClient }> {
  const test = await createTestServer();
  const { auth } = test.server;
  const routes: Readonly<Record<string, (request: Request) => Promise<object>>> = {
    '/hello': async (request) => ({ seen: (await session(auth, request))?.user.email ?? null }),
    '/me': async (request) => ({ seen: (await requireSession(auth, request)).user.email }),
    '/admin': async (request) => ({ seen: (await requireRole(auth, request, ['admin', 'owner'], byMetadata)).role }),
    '/nobody': async (request) => ({ seen: (await requireRole(auth, request, [])).role }),
    '/form': async (request) => requireCsrf(auth, request).then(() => ({ seen: true })),
    '/plain': async (request) => ({ seen: (await requireSession(auth, request, byMetadata)).user.email }),
  };
  const browser = new TestClient('http://localhost:3000', async (request) => {
    const route = routes[new URL(request.url).pathname];
    if (!route) return test.server.fetch(request, {});
    return route(request).then((body) => Response.json(body), errorResponse);
  });
  await browser.post('/api/auth/signup', ada);
  return { test, browser };
}

const outcomeOf = (response: TestResponse): unknown =>
  response.status === 200 ? (response.body as { seen?: unknown }).seen : refusalOf(response);

describe('guards of plain requests', () => {
  it('give a route the session of its caller, and refuse others as the auth routes do', async () => {
    const { test, browser } = await createOwnApp();
    expect(outcomeOf(await browser.get('/hello'))).toBe(ada.email);
    expect(outcomeOf(await browser.get('/me'))).toBe(ada.email);
    expect(outcomeOf(await browser.post('/me'))).toBe(ada.email);
    const stranger = { headers: { cookie: null } };
    expect(outcomeOf(await browser.get('/hello', stranger))).toBeNull();
    const refused = await browser.get('/me', stranger);
    expect(refused.body).toEqual((await test.client().get('/api/auth/sessions')).body);
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store']);
    expect(outcomeOf(await browser.get('/admin', stranger))).toBe('UNAUTHENTICATED');
    test.clock.advance(60_000);
    expect(outcomeOf(await browser.get('/me'))).toBe('UNAUTHENTICATED');
  });

  it('require one of the roles', async () => {
    const { test, browser } = await createOwnApp();
    expect(outcomeOf(await browser.get('/admin'))).toBe('FORBIDDEN');
    const { auth } = test.server;
    const [user] = unwrap(await auth.admin.listUsers()).items;
    await auth.admin.setRole(user!.id, 'owner');
    await browser.post('/api/auth/refresh');
    expect(outcomeOf(await browser.get('/admin'))).toBe('owner');
    expect(outcomeOf(await browser.get('/nobody'))).toBe('FORBIDDEN');
  });

  it.each(['/hello', '/me', '/admin', '/form'])('refuse writes to %s that no page of the app sent', async (path) => {
    const { browser } = await createOwnApp();
    for (const headers of [
      { origin: null },
      { 'x-app-request': null },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:3001' },
    ]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        expect(outcomeOf(await browser.send(path, { method, headers }))).toBe('CSRF_FAILED');
      }
    }
    expect(outcomeOf(await browser.post('/form'))).toBe(true);
  });

  it('take Sec-Fetch-Site in place of the header where a route says so, and nothing less', async () => {
    const { browser } = await createOwnApp();
    const send = (path: string, headers: Readonly<Record<string, string | null>>): Promise<TestResponse> =>
      browser.post(path, undefined, {
        headers: { 'x-app-request': null, 'sec-fetch-site': 'same-origin', ...headers },
      });
    expect(outcomeOf(await send('/plain', {}))).toBe(ada.email);
    expect(outcomeOf(await browser.post('/plain'))).toBe(ada.email);
    expect(outcomeOf(await send('/admin', {}))).toBe('FORBIDDEN');
    for (const headers of [{ 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': null }, { origin: 'null' }]) {
      expect(outcomeOf(await send('/plain', headers))).toBe('CSRF_FAILED');
    }
    expect(outcomeOf(await send('/me', {}))).toBe('CSRF_FAILED');
    expect(outcomeOf(await send('/api/auth/signout', {}))).toBe('CSRF_FAILED');
  });

  it('say outside production what a write lacks', async () => {
    const { browser } = await createOwnApp();
    const { error } = (await browser.post('/me', undefined, { headers: { 'x-app-request': null } })).body;
    expect(error.message).toBe(
      'The request was not sent by a page of this application. It needs the header X-APP-Request: 1.',
    );
  });

  it('let a bearer token write without these headers, if no cookie comes with it', async () => {
    const { browser } = await createOwnApp();
    const headers = { origin: null, 'x-app-request': null, authorization: `Bearer ${browser.cookies.get('app.sid')}` };
    expect(outcomeOf(await browser.post('/me', {}, { headers: { ...headers, cookie: null } }))).toBe(ada.email);
    expect(outcomeOf(await browser.post('/me', {}, { headers }))).toBe('CSRF_FAILED');
    const invalid = { ...headers, cookie: null, authorization: 'Bearer x' };
    expect(outcomeOf(await browser.post('/me', {}, { headers: invalid }))).toBe('CSRF_FAILED');
  });

  it('say when to come again, and leave faults to the app', async () => {
    const response = errorResponse(new CodedError('RATE_LIMITED', 'Too many.', { retryAfter: 7 }));
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    const fault = new TypeError('no');
    expect(() => errorResponse(fault)).toThrow(fault);
  });
});
