import { describe, expect, it } from 'vitest';
import { createOAuthServer, locationOf, type OAuthTestServer, signInBy } from '../../support/oauth-server.ts';
import type { TestClient } from '../../support/test-client.ts';
import { engines } from '../../support/test-server.ts';

const password = 'correct horse battery';
const victimAtGoogle = { sub: 'g-1', email: 'victim@work.example.com', email_verified: true };
const invalid = '/auth/error?error=invalid_state';

async function signUp({ client }: OAuthTestServer, email: string): Promise<TestClient> {
  const browser = client();
  expect((await browser.post('/api/auth/signup', { email, password })).status).toBe(201);
  return browser;
}

/** Begins a link in a browser, and consents to it at the provider. Returns the path of the callback. */
async function beginLink({ fake }: OAuthTestServer, browser: TestClient): Promise<string> {
  const { url } = (await browser.post('/api/auth/oauth/google/link')).body as unknown as { url: string };
  return fake.consent(url, victimAtGoogle);
}

function cookieHeader(browser: TestClient, belongs: (name: string) => boolean): string | null {
  const sent = [...browser.cookies].filter(([name]) => belongs(name)).map(([name, value]) => `${name}=${value}`);
  return sent.length === 0 ? null : sent.join('; ');
}

const isOfFlow = (name: string): boolean => name.startsWith('app.oauth.');

async function linkedTo(browser: TestClient): Promise<unknown> {
  return (await browser.get('/api/auth/oauth-accounts')).body;
}

describe.each(engines)('a link on %s', (engine) => {
  it.each(['their own session', 'no session'])(
    "cannot be planted in another person's browser, with %s",
    async (session) => {
      const oauth = await createOAuthServer({ engine });
      const attacker = await signUp(oauth, 'attacker@example.com');
      const victim = session === 'no session' ? oauth.client() : await signUp(oauth, 'victim@example.com');
      const path = await beginLink(oauth, attacker);
      for (const [name, value] of attacker.cookies) if (isOfFlow(name)) victim.cookies.set(name, value);
      const calls = oauth.fake.calls.length;
      expect(locationOf(await victim.get(path))).toBe(invalid);
      expect(oauth.fake.calls).toHaveLength(calls);
      expect(await linkedTo(attacker)).toEqual({ accounts: [] });
      expect(await oauth.server.stores.oauthAccounts.findUserId('google', 'g-1')).toBeNull();
    },
  );

  it("cannot be planted together with the attacker's JWT", async () => {
    const oauth = await createOAuthServer({ engine });
    const attacker = await signUp(oauth, 'attacker@example.com');
    const path = await beginLink(oauth, attacker);
    const cookie = cookieHeader(attacker, (name) => isOfFlow(name) || name === 'app.sid');
    expect(locationOf(await oauth.client().get(path, { headers: { cookie } }))).toBe(invalid);
    expect(await linkedTo(attacker)).toEqual({ accounts: [] });
  });

  it('completes with the current refresh token or the one before it within its grace period', async () => {
    for (const [token, waitMs, location] of [
      ['current', 3_600_000, '/'],
      ['previous', 9_999, '/'],
      ['previous', 10_000, invalid],
    ] as const) {
      const oauth = await createOAuthServer({ engine });
      const browser = await signUp(oauth, 'ada@example.com');
      const path = await beginLink(oauth, browser);
      const previous = browser.cookies.get('app.ref') ?? '';
      await browser.post('/api/auth/refresh');
      oauth.clock.advance(Math.min(waitMs, 500_000));
      const current = browser.cookies.get('app.ref') ?? '';
      if (token === 'previous') browser.cookies.set('app.ref', previous);
      expect(locationOf(await browser.get(path))).toBe(location);
      // A token that was replaced is refused here, and judged only by a refresh.
      browser.cookies.set('app.ref', current);
      expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    }
  });
});

describe('a link with SameSite=Strict cookies', () => {
  const auth = { session: { strategy: 'jwt', algorithm: 'ES256', cookie: { sameSite: 'strict' } } } as const;

  /** Requests a URL as a redirect from another site does: without the session cookies. */
  const fromProvider = (browser: TestClient, path: string) =>
    browser.get(path, { headers: { cookie: cookieHeader(browser, isOfFlow) } });

  /** Returns the URL that a page goes on to. */
  function targetOf(page: string, path: string): string {
    const [, query = ''] = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(page) ?? [];
    const url = new URL(query.replaceAll('&amp;', '&'), `http://localhost:3000${path}`);
    return url.pathname + url.search;
  }

  it('goes on from a page of the app to the same URL, with the session', async () => {
    const oauth = await createOAuthServer({ auth });
    const browser = await signUp(oauth, 'ada@example.com');
    const path = `${await beginLink(oauth, browser)}&iss=${encodeURIComponent(oauth.fake.url)}&authuser=0`;
    const response = await fromProvider(browser, path);
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(response.text).not.toContain('<script');
    const calls = oauth.fake.calls.length;
    // Loading the page again changes nothing either.
    expect((await fromProvider(browser, path)).text).toBe(response.text);
    expect(oauth.fake.calls).toHaveLength(calls);
    const target = targetOf(response.text, path);
    const query = new URLSearchParams(path.split('?')[1]);
    query.delete('authuser');
    expect(target).toBe(`${path.split('?')[0]}?${query.toString()}&continued=1`);
    expect(locationOf(await browser.get(target))).toBe('/');
    expect(await linkedTo(browser)).toMatchObject({ accounts: [{ provider: 'google' }] });
  });

  it('goes on only once, and not for the browser of another user', async () => {
    const oauth = await createOAuthServer({ auth });
    const attacker = await signUp(oauth, 'attacker@example.com');
    const victims = [oauth.client(), await signUp(oauth, 'victim@example.com')];
    for (const victim of victims) {
      const path = await beginLink(oauth, attacker);
      for (const [name, value] of attacker.cookies) if (isOfFlow(name)) victim.cookies.set(name, value);
      const calls = oauth.fake.calls.length;
      const { text } = await fromProvider(victim, path);
      expect(locationOf(await victim.get(targetOf(text, path)))).toBe(invalid);
      expect(oauth.fake.calls).toHaveLength(calls);
    }
    expect(await linkedTo(attacker)).toEqual({ accounts: [] });
  });

  it('writes the text of the provider into the page in URL encoding only', async () => {
    const oauth = await createOAuthServer({ auth });
    const browser = await signUp(oauth, 'ada@example.com');
    const hostile = `"'><script>alert(1)</script>;url=//evil.example.com &amp;\0\n\u{1F600}`;
    const path = (await beginLink(oauth, browser)).replace(/code=[^&]*/, `code=${encodeURIComponent(hostile)}`);
    const { status, text } = await fromProvider(browser, path);
    expect(status).toBe(200);
    expect(text).not.toMatch(/<script|'|evil\.example\.com &/);
    expect(new URL(targetOf(text, path), 'http://localhost').searchParams.get('code')).toBe(hostile);
  });

  it('needs no page for a sign-in, nor without the cookie of a flow', async () => {
    const oauth = await createOAuthServer({ auth });
    const browser = await signUp(oauth, 'ada@example.com');
    expect(locationOf(await signInBy({ client: oauth.client(), fake: oauth.fake }, 'google', victimAtGoogle))).toBe(
      '/',
    );
    const path = await beginLink(oauth, browser);
    expect(locationOf(await oauth.client().get(path))).toBe(invalid);
    expect(locationOf(await fromProvider(browser, `${path}&error=access_denied`))).toBe(
      '/auth/error?error=provider_denied',
    );
  });
});

it('responds with a page only where cookies are strict', async () => {
  for (const sameSite of ['lax', 'none'] as const) {
    const auth = { session: { strategy: 'jwt', algorithm: 'ES256', cookie: { sameSite } } } as const;
    const oauth = await createOAuthServer({ auth });
    const browser = await signUp(oauth, 'ada@example.com');
    const path = await beginLink(oauth, browser);
    const cookie = cookieHeader(browser, isOfFlow);
    expect(locationOf(await browser.get(path, { headers: { cookie } }))).toBe(invalid);
  }
});
