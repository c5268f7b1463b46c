import { googleProvider } from '@x/auth';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createOAuthServer, locationOf, start } from '../../support/oauth-server.ts';
import { hostileStrings } from '../../support/hostile-strings.ts';
import { createTestServer } from '../../support/test-server.ts';

const ada = { sub: 'g-1', email: 'ada@example.com', email_verified: true };

const corpus = readFileSync(new URL('../../test-data/open-redirects.txt', import.meta.url), 'utf8').split('\n');

const ours = [
  '//evil.example.com',
  '/\\evil.example.com',
  '/.\\/evil.example.com',
  '/.\\\\evil.example.com',
  '/..\\/evil.example.com',
  '/%2e\\/evil.example.com',
  '/a/..\\/evil.example.com',
  '/\t/evil.example.com',
  '/\n/evil.example.com',
  '\t//evil.example.com',
  ' //evil.example.com',
  'http://localhost:3000/',
  'https:evil.example.com',
  'javascript:alert(1)',
  'evil.example.com',
  '\\/evil.example.com',
  '/a//b',
  '/\u0085/evil.example.com',
  `/${'a'.repeat(2000)}`,
];

it('lets no malicious redirectTo lead away from the app', async () => {
  const { fake, client } = await createOAuthServer();
  const elsewhere: string[] = [];
  const others = [...corpus, ...hostileStrings].filter((_, index) => process.env['DEEP'] || index % 8 === 0);
  const texts = [...ours, ...others];
  expect(texts.length).toBeGreaterThan(80);
  for (const text of texts) {
    const browser = client();
    const query = new URLSearchParams({ redirectTo: text.toWellFormed() });
    const location = locationOf(await browser.get(fake.consent(await start(browser, 'google', `?${query}`), ada)));
    // As a browser resolves it on the page of the callback.
    const url = new URL(location, 'http://localhost:3000/api/auth/oauth/google/callback');
    const isOurs = url.origin === 'http://localhost:3000' && /^\/(?![/\\])[\x21-\x7e]*$/.test(location);
    if (!isOurs) elsewhere.push(`${text} → ${location}`);
    if (!text.startsWith('/') && location !== '/') elsewhere.push(text);
  }
  expect(elsewhere).toEqual([]);
});

it('ends a sign-in at a redirectTo that is a path of the app, normalized', async () => {
  const { fake, client } = await createOAuthServer();
  const paths = {
    '/projects/7?tab=a&b=%2F#top': '/projects/7?tab=a&b=%2F#top',
    '/größe': '/gr%C3%B6%C3%9Fe',
    '/a/../b': '/b',
    '/%2f%2fevil.example.com': '/%2f%2fevil.example.com',
    '/': '/',
    '//': '/',
    '/b//c': '/',
  };
  for (const [redirectTo, location] of Object.entries(paths)) {
    const browser = client();
    const url = await start(browser, 'google', `?${new URLSearchParams({ redirectTo })}`);
    expect(url).not.toContain('projects');
    expect(locationOf(await browser.get(fake.consent(url, ada)))).toBe(location);
  }
  const browser = client();
  const url = await start(browser, 'google', '?redirectTo=/a&redirectTo=/b');
  expect(locationOf(await browser.get(fake.consent(url, ada)))).toBe('/');
});

it('lets no header or parameter of the callback change a Location or the redirect URI', async () => {
  const { fake, client } = await createOAuthServer();
  const headers = {
    host: 'evil.example.com',
    'x-forwarded-host': 'evil.example.com',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '1',
    forwarded: 'host=evil.example.com;proto=https',
    'x-original-url': '//evil.example.com',
    referer: 'https://evil.example.com/',
  };
  const browser = client();
  const response = await browser.get(
    '/api/auth/oauth/google?redirect_uri=https://evil.example.com&state=1&client_id=2',
    {
      headers,
    },
  );
  const url = new URL(locationOf(response));
  expect(url.origin).toBe(fake.url);
  expect(url.searchParams.getAll('redirect_uri')).toEqual(['http://localhost:3000/api/auth/oauth/google/callback']);
  expect(url.searchParams.getAll('client_id')).toEqual(['client-1']);
  const more =
    '&redirectTo=//evil.example.com&redirect_uri=https://evil.example.com&oauthSuccessRedirect=/x&returnTo=/x';
  expect(locationOf(await browser.get(fake.consent(url.href, ada) + more, { headers }))).toBe('/');
  const failed = await client().get(`/api/auth/oauth/google/callback?code=1&state=2${more}`, { headers });
  expect(locationOf(failed)).toBe('/auth/error?error=invalid_state');
});

it('sends a configured redirectUrl to the provider, at the start and at the exchange', async () => {
  const { fake } = await createOAuthServer();
  const redirectUrl = 'https://app.example.com/base/callback';
  const providers = [googleProvider({ ...fake.settings, redirectUrl })];
  const { client } = await createTestServer({ auth: { providers, oauthEncryptionKey: 'key' } });
  const browser = client();
  const url = await start(browser, 'google');
  expect(new URL(url).searchParams.get('redirect_uri')).toBe(redirectUrl);
  const { search } = new URL(fake.consent(url, ada), redirectUrl);
  // Only an exchange with the same URI gets tokens.
  expect(locationOf(await browser.get(`/api/auth/oauth/google/callback${search}`))).toBe('/');
});
