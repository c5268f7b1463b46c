import { googleProvider } from '@x/auth';
import { storeUnavailable } from '@x/store';
import { expect, it, vi } from 'vitest';
import { createOAuthServer, locationOf, start } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer } from '../../support/test-server.ts';

it('lists the providers in the configured order for everybody', async () => {
  const { client } = await createOAuthServer();
  expect(await client().get('/api/auth/providers')).toMatchObject({
    status: 200,
    body: {
      providers: [
        { id: 'google', name: 'Google', url: '/api/auth/oauth/google' },
        { id: 'github', name: 'GitHub', url: '/api/auth/oauth/github' },
        { id: 'discord', name: 'Discord', url: '/api/auth/oauth/discord' },
        { id: 'company', name: 'Company', url: '/api/auth/oauth/company' },
      ],
    },
  });
});

it('responds with 404 for an unknown or unconfigured provider, with any name', async () => {
  const { fake } = await createOAuthServer();
  const { client } = await createTestServer({
    auth: { providers: [googleProvider(fake.settings)], oauthEncryptionKey: 'key' },
  });
  const names = [
    'github',
    'unknown',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'Google',
    'google%00',
    '%67oogle%2F..',
    '..%2fgoogle',
    '%F0%9F%98%80',
    'google;x',
    ' ',
  ];
  for (const name of names) {
    for (const path of [`/api/auth/oauth/${name}`, `/api/auth/oauth/${name}/callback?code=1&state=2`]) {
      const response = await client().get(path);
      expect(refusalOf(response), path).toBe('NOT_FOUND');
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    const headers = { 'x-app-request': null };
    expect(refusalOf(await client().post(`/api/auth/oauth/${name}/link`, {}, { headers }))).toBe('NOT_FOUND');
  }
  expect((await client().get('/api/auth/oauth/google')).status).toBe(302);
  for (const path of ['/api/auth/oauth/google', '/api/auth/oauth/google/callback']) {
    const response = await client().post(path, {});
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('GET');
  }
});

it('has no OAuth routes and lists no providers if none is configured', async () => {
  const { client } = await createTestServer();
  expect((await client().get('/api/auth/providers')).body).toEqual({ providers: [] });
  for (const path of ['oauth/google', 'oauth/google/callback', 'oauth-accounts', 'oauth-accounts/google']) {
    expect(refusalOf(await client().get(`/api/auth/${path}`))).toBe('NOT_FOUND');
  }
});

it('responds with 429 to the eleventh start from an address in five minutes, over all providers', async () => {
  const { client, clock } = await createOAuthServer();
  const providers = ['google', 'github', 'discord', 'company'];
  const browser = client('192.0.2.1');
  for (let count = 0; count < 10; count += 1) {
    expect((await browser.get(`/api/auth/oauth/${providers[count % 4]}`)).status).toBe(302);
    clock.advance(1000);
  }
  browser.cookies.clear();
  const refused = await browser.get('/api/auth/oauth/google');
  expect(refusalOf(refused)).toBe('RATE_LIMITED');
  expect(refused.headers.get('retry-after')).toBe('290');
  expect(refused.headers.getSetCookie()).toEqual([]);
  expect(refusalOf(await client('::ffff:192.0.2.1').get('/api/auth/oauth/github'))).toBe('RATE_LIMITED');
  expect((await client('192.0.2.2').get('/api/auth/oauth/google')).status).toBe(302);
  clock.advance(289_999);
  expect(refusalOf(await browser.get('/api/auth/oauth/google'))).toBe('RATE_LIMITED');
  clock.advance(1);
  expect((await browser.get('/api/auth/oauth/google')).status).toBe(302);
});

it('does not count callbacks or starts at an unknown provider', async () => {
  const { fake, client } = await createOAuthServer();
  const browser = client('192.0.2.1');
  for (let count = 0; count < 12; count += 1) {
    await browser.get('/api/auth/oauth/unknown');
    await browser.get('/api/auth/oauth/google/callback?error=access_denied');
  }
  const path = fake.consent(await start(browser, 'github'), { id: 1, email: 'ada@example.com' });
  expect(locationOf(await browser.get(path))).toBe('/');
});

it.each(['claim', 'find', 'transaction'])(
  'responds with 503 and signs no user in if the store fails at %s',
  async (step) => {
    const { server, fake, client } = await createOAuthServer();
    const { stores } = server;
    const browser = client();
    const path = fake.consent(await start(browser, 'github'), { id: 1, email: 'ada@example.com' });
    const error = storeUnavailable(new Error('INSERT INTO secrets'));
    if (step === 'claim') vi.spyOn(stores.oneTimeIds, 'claim').mockRejectedValueOnce(error);
    if (step === 'find') vi.spyOn(stores.oauthAccounts, 'findUserId').mockRejectedValueOnce(error);
    if (step === 'transaction') vi.spyOn(stores, 'transaction').mockRejectedValueOnce(error);
    const response = await browser.get(path);
    expect(refusalOf(response)).toBe('SERVICE_UNAVAILABLE');
    expect(response.headers.get('retry-after')).toBeTruthy();
    expect([...browser.cookies]).toEqual([]);
    expect(response.text).not.toContain('secrets');
    expect((await stores.users.list({ limit: 1, after: null })).items).toEqual([]);
  },
);
