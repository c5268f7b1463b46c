import type { AuthOptions } from '@x/auth';
import { expect, it, vi } from 'vitest';
import { createOAuthServer, locationOf, type OAuthTestServer, signInBy, start } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { engines } from '../../support/test-server.ts';

const password = 'correct horse battery';
const ada = { sub: 'g-1', id: 1, email: 'ada@work.example.com', email_verified: true };

async function signUp({ client }: OAuthTestServer, email = 'ada@example.com'): Promise<TestClient> {
  const browser = client();
  expect((await browser.post('/api/auth/signup', { email, password })).status).toBe(201);
  return browser;
}

/** Links an identity to the signed-in user, from the start to the response of the callback. */
async function linkBy(
  { fake }: OAuthTestServer,
  browser: TestClient,
  provider: string,
  body?: object,
): Promise<string> {
  const { url } = (await browser.post(`/api/auth/oauth/${provider}/link`, body)).body as unknown as { url: string };
  return locationOf(await browser.get(fake.consent(url, ada)));
}

async function accountsOf(browser: TestClient): Promise<unknown> {
  return (await browser.get('/api/auth/oauth-accounts')).body;
}

it.each(engines)('adds an identity to the caller, who can sign in with it, on %s', async (engine) => {
  const oauth = await createOAuthServer({ engine });
  const { server, fake, client } = oauth;
  const browser = await signUp(oauth);
  const session = (await browser.get('/api/auth/session')).body;
  expect(await linkBy(oauth, browser, 'google', { redirectTo: '/settings?tab=accounts' })).toBe(
    '/settings?tab=accounts',
  );
  expect((await browser.get('/api/auth/session')).body).toEqual(session);
  const google = { provider: 'google', providerId: 'g-1', email: 'ada@work.example.com' };
  expect(await accountsOf(browser)).toEqual({ accounts: [google] });
  const other = client();
  expect(locationOf(await signInBy({ client: other, fake }, 'google', ada))).toBe('/');
  const { items } = await server.stores.users.list({ limit: 10, after: null });
  expect((await other.get('/api/auth/session')).body.session).toMatchObject({ user: { id: items[0]?.id } });
  // The address of a linked identity changes no address of the user.
  expect(items).toMatchObject([{ email: 'ada@example.com', emailProvenAt: null }]);
});

it.each(engines)(
  'proves the address that the caller signs in with if Google says so at a link on %s',
  async (engine) => {
    const onEmailProven = vi.fn<NonNullable<AuthOptions['onEmailProven']>>();
    const oauth = await createOAuthServer({ engine, auth: { onEmailProven } });
    const browser = await signUp(oauth, ada.email);
    expect(await linkBy(oauth, browser, 'github')).toBe('/');
    const provenAt = async (): Promise<unknown> =>
      (await oauth.server.stores.users.findByLoginEmail(ada.email))?.emailProvenAt;
    expect(await provenAt()).toBeNull();
    expect(await linkBy(oauth, browser, 'google')).toBe('/');
    expect(await provenAt()).toBeInstanceOf(Date);
    await browser.post('/api/auth/refresh');
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: { emailVerified: true } });
    expect(await linkBy(oauth, browser, 'google')).toBe('/');
    expect(onEmailProven).toHaveBeenCalledTimes(1);
  },
);

it('changes nothing when an identity is linked again, and refuses one of another user', async () => {
  const oauth = await createOAuthServer();
  const [owner, other] = [await signUp(oauth), await signUp(oauth, 'eve@example.com')];
  expect(await linkBy(oauth, owner, 'github')).toBe('/');
  expect(await linkBy(oauth, owner, 'github')).toBe('/');
  const before = await accountsOf(owner);
  expect(await linkBy(oauth, other, 'github')).toBe('/auth/error?error=account_already_linked');
  expect(await accountsOf(owner)).toEqual(before);
  expect(await accountsOf(other)).toEqual({ accounts: [] });
});

it('links nothing to the signed-in user when a sign-in is started', async () => {
  const oauth = await createOAuthServer();
  const { fake, client } = oauth;
  const browser = await signUp(oauth);
  await signInBy({ client: browser, fake }, 'github', ada);
  expect((await browser.get('/api/auth/session')).body.session).toMatchObject({
    user: { email: 'ada@work.example.com' },
  });
  const again = client();
  await again.post('/api/auth/signin', { email: 'ada@example.com', password });
  expect(await accountsOf(again)).toEqual({ accounts: [] });
});

it('refuses a link once the session that started it has ended, and in any other session', async () => {
  const oauth = await createOAuthServer();
  const { fake } = oauth;
  const browser = await signUp(oauth);
  const { url } = (await browser.post('/api/auth/oauth/google/link')).body as unknown as { url: string };
  await browser.post('/api/auth/signout');
  await browser.post('/api/auth/signin', { email: 'ada@example.com', password });
  expect(locationOf(await browser.get(fake.consent(url, ada)))).toBe('/auth/error?error=invalid_state');
  expect(await accountsOf(browser)).toEqual({ accounts: [] });
});

it('completes a link after the JWT of its session has expired', async () => {
  const oauth = await createOAuthServer();
  const { fake, clock } = oauth;
  const browser = await signUp(oauth);
  const { url } = (await browser.post('/api/auth/oauth/google/link')).body as unknown as { url: string };
  clock.advance(120_000);
  expect(locationOf(await browser.get(fake.consent(url, ada)))).toBe('/');
  await browser.post('/api/auth/refresh');
  expect(await accountsOf(browser)).toMatchObject({ accounts: [{ provider: 'google' }] });
});

it('starts a link only for signed-in callers on pages of the app, with a valid JSON body', async () => {
  const oauth = await createOAuthServer();
  const { client } = oauth;
  const path = '/api/auth/oauth/google/link';
  const browser = await signUp(oauth);
  expect(refusalOf(await client().post(path))).toBe('UNAUTHENTICATED');
  expect(refusalOf(await browser.post(path, {}, { headers: { 'x-app-request': null } }))).toBe('CSRF_FAILED');
  expect(refusalOf(await browser.post(path, {}, { headers: { origin: 'https://evil.example.com' } }))).toBe(
    'CSRF_FAILED',
  );
  const token = browser.cookies.get('app.sid') ?? '';
  const bearer = { authorization: `Bearer ${token}`, 'x-app-request': null, origin: null };
  expect(refusalOf(await client().post(path, {}, { headers: bearer }))).toBe('SESSION_EXPIRED');
  for (const body of [{ redirectTo: 1 }, { redirectTo: ['/'] }, { other: '/' }, [], 'text', null]) {
    const response = await browser.post(path, body);
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.headers.getSetCookie()).toEqual([]);
  }
  expect((await browser.get(path)).status).toBe(405);
  const id = (await browser.get('/api/auth/session')).body.session?.id;
  await browser.send(`/api/auth/sessions/${id}`, { method: 'DELETE' });
  const revoked = client();
  revoked.cookies.set('app.sid', token);
  expect(refusalOf(await revoked.post(path))).toBe('UNAUTHENTICATED');
});

it.each(engines)('unlinks identities unless they are the last way to sign in on %s', async (engine) => {
  const oauth = await createOAuthServer({ engine });
  const { server, fake, client } = oauth;
  const remove = (browser: TestClient, provider: string) =>
    browser.send(`/api/auth/oauth-accounts/${provider}`, { method: 'DELETE' });
  const browser = client();
  await signInBy({ client: browser, fake }, 'github', ada);
  for (const provider of ['google', 'unknown', '__proto__', '%00', '%F0%9F%98%80']) {
    expect(refusalOf(await remove(browser, provider))).toBe('NOT_FOUND');
  }
  expect(refusalOf(await remove(browser, 'github'))).toBe('LAST_SIGN_IN_METHOD');
  expect(await linkBy(oauth, browser, 'google')).toBe('/');
  expect(await remove(browser, 'github')).toMatchObject({ status: 200, body: { ok: true } });
  expect(await accountsOf(browser)).toMatchObject({ accounts: [{ provider: 'google' }] });
  expect(refusalOf(await remove(browser, 'google'))).toBe('LAST_SIGN_IN_METHOD');
  expect(refusalOf(await remove(client(), 'google'))).toBe('UNAUTHENTICATED');
  const headers = { 'x-app-request': null };
  expect(refusalOf(await browser.send('/api/auth/oauth-accounts/google', { method: 'DELETE', headers }))).toBe(
    'CSRF_FAILED',
  );
  const [user] = (await server.stores.users.list({ limit: 10, after: null })).items;
  const { items } = await server.stores.events.listByUser(user?.id ?? ('' as never), { limit: 50, after: null });
  const logged = items.map(({ type, detail }) => `${type} ${JSON.stringify(detail)}`);
  for (const provider of ['github', 'google'])
    expect(logged).toContain(`oauth_account.linked {"provider":"${provider}"}`);
  expect(logged.filter((entry) => entry.startsWith('oauth_account.unlinked'))).toEqual([
    'oauth_account.unlinked {"provider":"github"}',
  ]);
  // An unlinked identity is free, and no longer signs in its former user.
  const next = client();
  await signInBy({ client: next, fake }, 'github', ada);
  expect((await next.get('/api/auth/session')).body.session).not.toMatchObject({ user: { id: user?.id } });
});

it('lists identities for their owner while the session is active', async () => {
  const oauth = await createOAuthServer();
  const { server, fake, client } = oauth;
  const browser = client();
  await signInBy({ client: browser, fake }, 'google', ada);
  expect(refusalOf(await client().get('/api/auth/oauth-accounts'))).toBe('UNAUTHENTICATED');
  const [user] = (await server.stores.users.list({ limit: 10, after: null })).items;
  await server.auth.admin.signOutUser(user?.id ?? '');
  expect(refusalOf(await browser.get('/api/auth/oauth-accounts'))).toBe('UNAUTHENTICATED');
});

it('links, lists and unlinks through auth.api.oauth like the routes', async () => {
  const oauth = await createOAuthServer();
  const { server, fake } = oauth;
  const { oauth: api } = server.auth.api;
  const begun = await api.start('google', { redirectTo: '/in' }, new Headers());
  if (!begun.ok) throw new TypeError(begun.error.code);
  const cookie = begun.value.cookies.map((each) => each.split(';')[0]).join('; ');
  const response = Object.fromEntries(new URL(fake.consent(begun.value.url, ada), 'http://localhost').searchParams);
  const ended = await api.complete('google', response, new Headers({ cookie }));
  expect(ended).toMatchObject({ ok: true, value: { location: '/in' } });
  expect(await api.complete('google', response, new Headers({ cookie }))).toMatchObject({
    value: { location: '/auth/error?error=invalid_state' },
  });
  const signedIn = new Headers({
    cookie:
      ended.ok && 'cookies' in ended.value ? ended.value.cookies.map((each) => each.split(';')[0]).join('; ') : '',
  });
  expect(await api.listAccounts(signedIn)).toMatchObject({ data: [{ provider: 'google', providerId: 'g-1' }] });
  expect(await api.unlink('google', signedIn)).toMatchObject({ error: { code: 'LAST_SIGN_IN_METHOD' } });
  expect(await api.startLink('github', {}, signedIn)).toMatchObject({ ok: true });
  expect(await api.startLink('github', {}, new Headers())).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
  for (const unknown of ['unknown', '__proto__', '']) {
    expect(await api.start(unknown, {}, new Headers())).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await api.complete(unknown, {}, new Headers())).toMatchObject({ error: { code: 'NOT_FOUND' } });
  }
});

it('completes no sign-in as a link, and no link as a sign-in', async () => {
  const oauth = await createOAuthServer();
  const { fake, client } = oauth;
  const victim = await signUp(oauth);
  const attacker = client();
  const path = fake.consent(await start(attacker, 'google'), ada);
  // The attacker's response in the victim's browser has no effect without the cookie of the flow.
  expect(locationOf(await victim.get(path))).toBe('/auth/error?error=invalid_state');
  expect(await accountsOf(victim)).toEqual({ accounts: [] });
});
