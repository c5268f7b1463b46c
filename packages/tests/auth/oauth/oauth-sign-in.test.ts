import type { JsonObject } from '@x/store';
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import type { Person } from '../../support/fake-provider.ts';
import { createOAuthServer, locationOf, signInBy, start } from '../../support/oauth-server.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { engines } from '../../support/test-server.ts';

/** One person as each provider describes them. */
const ada: Readonly<Record<string, Person>> = {
  google: { sub: 'g-1', email: 'Ada@Example.com', email_verified: true },
  github: { id: 1, email: 'Ada@Example.com' },
  discord: { id: '80351110224678912', email: 'Ada@Example.com', verified: true },
  company: { sub: 'c-1', email: 'Ada@Example.com', email_verified: true },
};

const cases = engines.flatMap((engine) =>
  Object.entries(ada).map(([provider, person]) => ({ engine, provider, person })),
);

it.each(cases)('signs a new user up with $provider, and in again, on $engine', async ({ engine, provider, person }) => {
  const { server, fake, client } = await createOAuthServer({ engine });
  const browser = client();
  const first = await signInBy({ client: browser, fake }, provider, person);
  expect(locationOf(first)).toBe('/');
  const { session } = (await browser.get('/api/auth/session')).body;
  const isTrusted = provider === 'google';
  expect(session).toMatchObject({ user: { email: 'ada@example.com', emailVerified: isTrusted, role: 'user' } });

  const again = client();
  expect(locationOf(await signInBy({ client: again, fake }, provider, person))).toBe('/');
  const user = await onlyUser(server);
  expect((await again.get('/api/auth/session')).body.session).toMatchObject({ user: { id: user.id } });
  expect(user).toMatchObject({
    email: 'ada@example.com',
    loginEmail: isTrusted ? 'ada@example.com' : null,
    passwordHash: null,
  });
  expect(user.emailProvenAt !== null).toBe(isTrusted);
});

it('sends the specified authorization request, with the right PKCE challenge, nonce and redirect URI', async () => {
  const { client } = await createOAuthServer();
  const requested = async (provider: string): Promise<JsonObject> => {
    const url = new URL(await start(client(), provider));
    expect(url.pathname).toBe('/authorize');
    return Object.fromEntries(url.searchParams);
  };
  const secret = expect.stringMatching(/^[\w-]{43}$/) as unknown;
  const common = { client_id: 'client-1', response_type: 'code', state: secret };
  const callback = (id: string): string => `http://localhost:3000/api/auth/oauth/${id}/callback`;
  const pkce = { code_challenge: secret, code_challenge_method: 'S256' };
  const openid = { scope: 'openid email profile', nonce: secret };
  // Keeps the query of the configured URL.
  const tenant = { tenant: '1' };
  expect(await requested('google')).toEqual({
    ...common,
    ...pkce,
    ...openid,
    ...tenant,
    redirect_uri: callback('google'),
  });
  expect(await requested('github')).toEqual({
    ...{ ...common, ...tenant },
    scope: 'read:user user:email',
    redirect_uri: callback('github'),
  });
  expect(await requested('discord')).toEqual({
    ...{ ...common, ...pkce, ...tenant },
    scope: 'identify email',
    redirect_uri: callback('discord'),
  });
  expect(await requested('company')).toEqual({ ...common, ...pkce, ...openid, redirect_uri: callback('company') });
});

it('creates state, nonce and verifier anew for each start, and keeps the verifier out of the URL', async () => {
  const { fake, client } = await createOAuthServer();
  const starts = [await start(client(), 'google'), await start(client(), 'google')].map(
    (url) => new URL(url).searchParams,
  );
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(new Set(starts.map((requested) => requested.get(name))).size).toBe(2);
  }
  const sent: URLSearchParams[] = [];
  fake.responders.set('/token', (response, request) => {
    request.on('data', (chunk: Buffer) => sent.push(new URLSearchParams(chunk.toString())));
    request.on('end', () => response.writeHead(400).end('{}'));
  });
  const browser = client();
  const url = await start(browser, 'google');
  await browser.get(fake.consent(url, {}));
  const verifier = sent[0]?.get('code_verifier') ?? '';
  expect(verifier).toMatch(/^[\w-]{43,128}$/);
  expect(url).not.toContain(verifier);
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(
    new URL(url).searchParams.get('code_challenge'),
  );
});

it('sets a state cookie that is HttpOnly, Secure, Lax and short-lived, with any settings of the session cookies', async () => {
  const session = { strategy: 'jwt', algorithm: 'ES256', cookie: { sameSite: 'strict' } } as const;
  const { client } = await createOAuthServer({ auth: { session } });
  const response = await client().get('/api/auth/oauth/google');
  const state = new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const cookies = response.headers.getSetCookie();
  expect(cookies.filter((each) => !each.includes('Max-Age=0'))).toHaveLength(1);
  const cookie = cookies.at(-1) ?? '';
  expect(cookie).toMatch(
    /^app\.oauth\.[\w-]{12}=[\w-]+; Max-Age=600; Path=\/api\/auth\/oauth; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(cookie.split('=')[0]).toBe(`app.oauth.${state.slice(0, 12)}`);
  expect(cookie).not.toContain(state);
});

it('sends the responses of a flow with no-store and no referrer, and logs no secret', async () => {
  const { logger, lines } = recordingLogger();
  const { fake, client } = await createOAuthServer({ logger });
  const browser = client();
  const started = await browser.get('/api/auth/oauth/google');
  const path = fake.consent(started.headers.get('location') ?? '', ada['google'] ?? {});
  const ended = await browser.get(path);
  const failed = await browser.get(path);
  for (const { status, headers } of [started, ended, failed]) {
    expect(status).toBe(302);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-request-id')).toBeTruthy();
  }
  expect(ended.text).toBe('');
  const log = JSON.stringify(lines);
  const { code = '', state = '' } = Object.fromEntries(new URL(path, 'http://x').searchParams);
  expect(log).toContain('a sign-in by a provider failed');
  for (const secret of [code, state, 'secret-of-the-client', ...browser.cookies.values()])
    expect(log).not.toContain(secret);
});

it('starts a new session at a sign-in with a provider, as any sign-in does', async () => {
  const { server, fake, client } = await createOAuthServer();
  const browser = client();
  await signInBy({ client: browser, fake }, 'github', ada['github'] ?? {});
  const first = (await browser.get('/api/auth/session')).body.session;
  await signInBy({ client: browser, fake }, 'github', ada['github'] ?? {});
  const second = (await browser.get('/api/auth/session')).body.session;
  expect(second?.id).not.toBe(first?.id);
  expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(2);
  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  const { items } = await server.stores.events.listByUser((await onlyUser(server)).id, { limit: 10, after: null });
  const github = { provider: 'github' };
  expect(items.map(({ type, detail }) => ({ type, detail })).toReversed()).toEqual(
    expect.arrayContaining([
      { type: 'oauth_account.linked', detail: github },
      { type: 'user.created', detail: github },
      { type: 'sign_in.succeeded', detail: github },
    ]),
  );
  expect(items).toHaveLength(3);
});

it('sends the client secret in the header by default, and in the body to providers that support it', async () => {
  const { fake, client } = await createOAuthServer();
  for (const provider of ['company', 'google']) {
    const headers: (string | undefined)[] = [];
    fake.responders.set('/token', (response, request) => {
      headers.push(request.headers.authorization);
      response.writeHead(400).end('{}');
    });
    await signInBy({ client: client(), fake }, provider, {});
    expect(headers.map((header) => header?.split(' ')[0])).toEqual([provider === 'company' ? 'Basic' : undefined]);
  }
});

it('requests the primary verified address from GitHub if the profile has none', async () => {
  const { server, fake, client } = await createOAuthServer();
  const emails = [
    { email: 'first@example.com', primary: false, verified: true },
    { email: 'other@example.com', primary: true, verified: false },
    { email: 'main@example.com', primary: true, verified: true },
  ];
  await signInBy({ client: client(), fake }, 'github', { id: 7, email: null, emails });
  await signInBy({ client: client(), fake }, 'github', { id: '7', email: 'shown@example.com' });
  expect(await onlyUser(server)).toMatchObject({ email: 'main@example.com', loginEmail: null, emailVerified: false });
  expect(fake.calls).toEqual(['/token', '/userinfo', '/userinfo/emails', '/token', '/userinfo']);
});

it('requests the user info of the same subject if the ID token has no address', async () => {
  const { server, fake, client } = await createOAuthServer();
  fake.idToken = ({ email: _, ...claims }) => claims;
  await signInBy({ client: client(), fake }, 'company', { sub: 'c-1', email: 'ada@example.com', email_verified: true });
  expect(await onlyUser(server)).toMatchObject({ email: 'ada@example.com', loginEmail: null });
  fake.idToken = ({ email: _, ...claims }) => ({ ...claims, sub: 'c-2' });
  const other = await signInBy({ client: client(), fake }, 'company', { sub: 'c-3', email: 'eve@example.com' });
  expect(locationOf(other)).toBe('/auth/error?error=provider_error');
});

it('redirects to the configured targets', async () => {
  const oauthSuccessRedirect = 'https://spa.example.com/in?from=oauth';
  const { fake, client } = await createOAuthServer({
    auth: { oauthSuccessRedirect, oauthErrorRedirect: '/oops?a=1#top' },
  });
  expect(locationOf(await signInBy({ client: client(), fake }, 'github', ada['github'] ?? {}))).toBe(
    oauthSuccessRedirect,
  );
  const failed = await client().get('/api/auth/oauth/github/callback?code=1&state=2');
  expect(locationOf(failed)).toBe('/oops?a=1&error=invalid_state#top');
});

it('refuses a disabled user as if the provider had refused, and logs it', async () => {
  const { server, fake, client } = await createOAuthServer();
  await signInBy({ client: client(), fake }, 'google', ada['google'] ?? {});
  const { id } = await onlyUser(server);
  const { id: existing } = await addUser(server, { email: 'taken@example.com', emailProvenAt: new Date() });
  for (const user of [id, existing]) await server.auth.admin.disableUser(user);
  const person = { sub: 'g-2', email: 'taken@example.com', email_verified: true };
  for (const each of [ada['google'] ?? {}, person]) {
    const browser = client();
    expect(locationOf(await signInBy({ client: browser, fake }, 'google', each))).toBe(
      '/auth/error?error=provider_denied',
    );
    expect([...browser.cookies]).toEqual([]);
  }
  expect(await server.stores.oauthAccounts.list(existing)).toEqual([]);
  for (const user of [id, existing]) {
    const { items } = await server.stores.events.listByUser(user, { limit: 10, after: null });
    const refusals = items.filter(({ type }) => type === 'sign_in.failed');
    expect(refusals).toMatchObject([{ detail: { provider: 'google' } }]);
  }
});

async function onlyUser(server: Awaited<ReturnType<typeof createOAuthServer>>['server']) {
  const { items } = await server.stores.users.list({ limit: 10, after: null });
  const [user] = items;
  if (!user || items.length !== 1) throw new TypeError(`There are ${items.length} users.`);
  return user;
}
