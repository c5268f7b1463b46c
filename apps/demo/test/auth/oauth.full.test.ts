import { findFreePort } from '@x/test-support/network';
import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { startDemo } from '../support/demo-process.ts';
import { fillIn, signInBy } from '../support/oauth.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const providers = ['google', 'github', 'discord'];

/** Starts a demo whose callbacks come back to it. */
async function startWithPort(variables: Readonly<Record<string, string>> = {}): Promise<string> {
  return startHere({ PORT: String(await findFreePort()), ...variables });
}

it('lets all three buttons work without a network in development', async () => {
  const origin = await startWithPort();
  const listed = await new Browser(origin).get('/api/auth/providers');
  expect(JSON.parse(listed.text)).toEqual({
    providers: [
      { id: 'google', name: 'Google', url: '/api/auth/oauth/google' },
      { id: 'github', name: 'GitHub', url: '/api/auth/oauth/github' },
      { id: 'discord', name: 'Discord', url: '/api/auth/oauth/discord' },
    ],
  });
  const ids = new Set<string>();
  for (const provider of providers) {
    const browser = new Browser(origin);
    const answer = await signInBy(browser, provider, { name: 'Grace', email: 'Grace@Example.com' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/']);
    const { session } = (await browser.get('/api/auth/session')).body;
    expect(session?.user).toMatchObject({ email: 'grace@example.com', emailVerified: provider === 'google' });
    ids.add(session?.user.id ?? '');
    const again = new Browser(origin);
    await signInBy(again, provider, { name: 'Grace', email: 'grace@example.com' });
    expect((await again.get('/api/auth/session')).body.session?.user.id).toBe(session?.user.id);
  }
  // Only Google vouches for the address.
  expect(ids.size).toBe(3);
});

it('ends on the error page after a cancelled flow, and after one that was over', async () => {
  const origin = await startWithPort();
  for (const provider of providers) {
    const browser = new Browser(origin);
    const started = await browser.get(`/api/auth/oauth/${provider}`);
    const back = await fillIn(started.headers.get('location') ?? '', { deny: '1' });
    const answer = await browser.get(back);
    expect(answer.headers.get('location')).toBe('/auth/error?error=provider_denied');
    expect([...browser.cookies]).toEqual([]);
  }
});

it("runs the stand-ins by the demo's clock", async () => {
  const origin = await startWithPort();
  const browser = new Browser(origin);
  const { now } = (await browser.post('/dev/clock', { advanceSeconds: 90 * 86_400 })).body;
  expect(new Date(now).getTime()).toBeGreaterThan(Date.now() + 89 * 86_400_000);
  expect((await signInBy(browser, 'google')).headers.get('location')).toBe('/');
});

it('lets the stand-ins redirect only to the demo, and show parameters as text', async () => {
  const origin = await startWithPort();
  const { headers } = await new Browser(origin).get('/api/auth/oauth/github');
  const url = new URL(headers.get('location') ?? '');
  for (const path of ['/github/authorize', '/github/consent', '/google/consent']) {
    for (const target of ['https://evil.example.com', `${origin}.evil.example.com/`, '//evil.example.com', '']) {
      const evil = new URL(url);
      evil.pathname = path;
      evil.searchParams.set('redirect_uri', target);
      const answer = await fetch(evil, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
  }
  url.searchParams.set('state', '"><script>alert(1)</script>');
  const page = await (await fetch(url)).text();
  expect(page).toContain('&#34;&#62;&#60;script&#62;');
  expect(page).not.toContain('<script');
});

it('replaces the stand-ins by configured providers', async () => {
  const urls = Object.fromEntries(
    ['AUTHORIZATION_URL', 'TOKEN_URL', 'USERINFO_URL', 'ISSUER', 'JWKS_URL'].map((name) => [
      `GOOGLE_${name}`,
      `https://google.test/${name}`,
    ]),
  );
  const google = { GOOGLE_CLIENT_ID: 'own-id', GOOGLE_CLIENT_SECRET: 'own-secret', ...urls };
  const browser = new Browser(await startHere({ ...google, BASE_URL: 'https://tracker.test/' }));
  const start = new URL((await browser.get('/api/auth/oauth/google')).headers.get('location') ?? '');
  expect(start.origin + start.pathname).toBe('https://google.test/AUTHORIZATION_URL');
  expect(start.searchParams.get('client_id')).toBe('own-id');
  expect(start.searchParams.get('redirect_uri')).toBe('https://tracker.test/api/auth/oauth/google/callback');
  expect((await browser.get('/api/auth/oauth/github')).status).toBe(404);
  const both = new Browser(await startHere({ ...google, OAUTH_MOCK: 'true' }));
  const target = async (provider: string): Promise<string> =>
    new URL((await both.get(`/api/auth/oauth/${provider}`)).headers.get('location') ?? '').hostname;
  expect([await target('google'), await target('github')]).toEqual(['google.test', '127.0.0.1']);
  const none = new Browser(await startHere({ OAUTH_MOCK: 'false' }));
  expect(JSON.parse((await none.get('/api/auth/providers')).text)).toEqual({ providers: [] });
});

it('starts stand-ins of its own for each of several processes, and stops them with it', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(async () => startDemo({ folder: makeFolder(), variables: { PORT: String(await findFreePort()) } })),
  );
  for (const demo of [first, second]) {
    const browser = new Browser(demo?.origin ?? '');
    expect((await signInBy(browser, 'google')).headers.get('location')).toBe('/');
    expect(await demo?.stop()).toEqual({ code: 0, signal: null });
  }
});
