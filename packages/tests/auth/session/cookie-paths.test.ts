import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, createMfaServer, enrol } from '../../support/second-factor.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

/** The cookies of a browser, each with its path: two of a name are two cookies (RFC 6265 section 5.3). */
class CookieJar {
  readonly #cookies: Map<string, { readonly path: string; readonly pair: string }> = new Map();

  take(setCookies: readonly string[]): void {
    for (const setCookie of setCookies) {
      const [pair = ''] = setCookie.split(';', 1);
      const [name = ''] = pair.split('=', 1);
      const [, path = ''] = /; Path=([^;]+)/.exec(setCookie) ?? [];
      const key = `${name};${path}`;
      if (setCookie.includes('Max-Age=0')) this.#cookies.delete(key);
      else this.#cookies.set(key, { path, pair });
    }
  }

  /** The `Cookie` header for a path: cookies with longer paths come first (section 5.4). */
  headerFor(path: string): string {
    return [...this.#cookies.values()]
      .filter((cookie) => `${path}/`.startsWith(cookie.path === '/' ? '/' : `${cookie.path}/`))
      .toSorted((a, b) => b.path.length - a.path.length)
      .map(({ pair }) => pair)
      .join('; ');
  }

  /** The names of the cookies with their paths. */
  get names(): readonly string[] {
    return [...this.#cookies.keys()].toSorted();
  }
}

async function post(test: TestServer, jar: CookieJar, path: string, body?: unknown): Promise<TestResponse> {
  const headers = { cookie: jar.headerFor(path) || null };
  const response = await test.client().post(path, body, { headers });
  jar.take(response.headers.getSetCookie());
  return response;
}

const withRefreshPath = (refreshPath: string): object => ({
  session: { strategy: 'jwt', algorithm: 'ES256', cookie: { refreshPath } },
});

describe.each(engines)('a change of the path of the refresh token, on %s', (engine) => {
  it.each([
    ['/api/auth', '/'],
    ['/', '/api/auth'],
    ['/api', '/'],
    ['/api/auth', '/api'],
    ['/', '/api'],
  ])('from %s to %s signs no user out', async (before, after) => {
    const database = createTestDatabase(engine);
    const first = await createTestServer({ database, auth: withRefreshPath(before) });
    const jar = new CookieJar();
    await post(first, jar, '/api/auth/signup', ada);
    expect(jar.names).toEqual([`app.ref;${before}`, 'app.sid;/']);

    const second = await createTestServer({ database, auth: withRefreshPath(after) });
    for (let times = 0; times < 3; times++) {
      second.clock.advance(61_000);
      expect((await post(second, jar, '/api/auth/refresh')).status).toBe(200);
      expect(jar.names).toEqual([`app.ref;${after}`, 'app.sid;/']);
    }
    await post(second, jar, '/api/auth/signout');
    expect(jar.names).toEqual([]);
  });

  it('is mended by a sign-in, a refusal and a sign-out for browsers that have two', async () => {
    const test = await createTestServer({ engine, auth: withRefreshPath('/') });
    const jar = new CookieJar();
    await post(test, jar, '/api/auth/signup', ada);
    const planted = 'app.ref=old; Path=/api/auth; Max-Age=604800';
    jar.take([planted]);
    expect(refusalOf(await post(test, jar, '/api/auth/refresh'))).toBe('SESSION_EXPIRED');
    expect(jar.names).toEqual([]);
    jar.take([planted]);
    await post(test, jar, '/api/auth/signin', ada);
    expect(jar.names).toEqual(['app.ref;/', 'app.sid;/']);
    jar.take([planted]);
    await post(test, jar, '/api/auth/signout');
    expect(jar.names).toEqual([]);
  });

  it('does not matter to pages, which expire cookies that they are not sent', async () => {
    const test = await createTestServer({ engine, auth: withRefreshPath('/') });
    const jar = new CookieJar();
    await post(test, jar, '/api/auth/signup', ada);
    jar.take(['app.ref=old; Path=/api/auth; Max-Age=604800']);
    test.clock.advance(61_000);
    const rendered = await test.server.auth.api.getOrRefreshSession(new Headers({ cookie: jar.headerFor('/') }));
    if (!rendered.ok) throw new Error(rendered.error.message);
    jar.take(rendered.value.setCookie);
    expect([rendered.value.session?.user.email, jar.names]).toEqual([ada.email, ['app.ref;/', 'app.sid;/']]);
    expect((await post(test, jar, '/api/auth/refresh')).status).toBe(200);
  });
});

it('leaves no challenge on another path', async () => {
  const test = await createMfaServer();
  await enrol(test);
  const jar = new CookieJar();
  const planted = ['/', '/api/auth'].map((path) => `app.mfa=old; Path=${path}; Max-Age=300`);
  jar.take(planted);
  await post(test, jar, '/api/auth/signin', ada);
  expect(jar.names).toEqual(['app.mfa;/api/auth/mfa']);
  jar.take(planted);
  const refused = await post(test, jar, '/api/auth/mfa/challenge', { code: '000000' });
  expect([refusalOf(refused), jar.names]).toEqual(['SESSION_EXPIRED', []]);
});
