import { type AuthOptions, createAuth, googleProvider, oidcProvider } from '@x/auth';
import { CodedError } from '@x/errors';
import type { UserRecord } from '@x/store';
import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { createOAuthServer, locationOf, type OAuthTestServer, signInBy, start } from '../../support/oauth-server.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const password = 'correct horse battery';
const ada = { sub: 'g-1', id: 1, email: 'ada@example.com', email_verified: true, verified: true };
const discordAda = { ...ada, id: '1' };

const mails = (sent: string[]): Partial<AuthOptions> => ({
  passwordReset: { enabled: true, onSend: (_user, token) => void sent.push(token) },
  emailVerification: { enabled: true, onSend: (_user, token) => void sent.push(token) },
});

async function usersOf({ server }: Pick<OAuthTestServer, 'server'>): Promise<readonly UserRecord[]> {
  return (await server.stores.users.list({ limit: 100, after: null })).items;
}

it("recognizes an identity by the provider's id for it, also after its address has changed", async () => {
  const oauth = await createOAuthServer();
  const { fake, client, server } = oauth;
  await signInBy({ client: client(), fake }, 'google', ada);
  await signInBy({ client: client(), fake }, 'google', { ...ada, email: 'moved@example.com' });
  await signInBy({ client: client(), fake }, 'google', { sub: 'g-1' });
  const [user, ...others] = await usersOf(oauth);
  expect(others).toEqual([]);
  expect(user?.email).toBe('ada@example.com');
  expect(user && (await server.stores.oauthAccounts.list(user.id))).toMatchObject([{ email: 'ada@example.com' }]);
  // An identity with the old address is another person, also at another provider.
  await signInBy({ client: client(), fake }, 'discord', { ...ada, id: 'g-1' });
  expect(await usersOf(oauth)).toHaveLength(2);
});

it.each(engines)('links the account whose address a trusted provider proves on %s', async (engine) => {
  const oauth = await createOAuthServer({ engine });
  const { server, fake, client } = oauth;
  const existing = await addUser(server, {
    email: 'ada@example.com',
    emailProvenAt: new Date(0),
    passwordHash: 'hash',
  });
  const browser = client();
  expect(locationOf(await signInBy({ client: browser, fake }, 'google', { ...ada, email: 'ADA@Example.com' }))).toBe(
    '/',
  );
  expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: { id: existing.id } });
  expect(await usersOf(oauth)).toEqual([existing]);
  expect(await server.stores.oauthAccounts.list(existing.id)).toEqual([
    { userId: existing.id, provider: 'google', providerId: 'g-1', email: 'ada@example.com' },
  ]);
});

it.each(engines)('locks a squatter out when the owner of the address signs in with Google on %s', async (engine) => {
  const proven: string[] = [];
  const sent: string[] = [];
  const onEmailProven: AuthOptions['onEmailProven'] = ({ email, emailVerified }) =>
    void proven.push(`${email} ${emailVerified}`);
  const oauth = await createOAuthServer({ engine, auth: { ...mails(sent), onEmailProven } });
  const { server, fake, client } = oauth;
  const squatter = client();
  await squatter.post('/api/auth/signup', { email: 'ada@example.com', password });
  const link = (await squatter.post('/api/auth/oauth/github/link')).body as unknown as { url: string };
  await squatter.get(fake.consent(link.url, { id: 666, email: 'squatter@example.com' }));
  await squatter.post('/api/auth/forgot-password', { email: 'ada@example.com' });
  await server.auth.drain();
  const pending = (await squatter.post('/api/auth/oauth/discord/link')).body as unknown as { url: string };
  const [account] = await usersOf(oauth);
  if (!account) throw new TypeError('unreachable');
  expect((await server.stores.oauthAccounts.list(account.id)).map(({ provider }) => provider)).toEqual(['github']);
  expect(sent).toHaveLength(2);

  const owner = client();
  expect(locationOf(await signInBy({ client: owner, fake }, 'google', ada))).toBe('/');

  expect((await owner.get('/api/auth/session')).body.session).toMatchObject({
    user: { id: account.id, emailVerified: true },
  });
  expect(await usersOf(oauth)).toMatchObject([
    { id: account.id, passwordHash: null, emailVerified: true, emailProvenAt: expect.any(Date) },
  ]);
  expect(proven).toEqual(['ada@example.com true']);
  expect((await server.stores.oauthAccounts.list(account.id)).map(({ provider }) => provider)).toEqual(['google']);
  expect(await server.stores.sessions.countActive(account.id)).toBe(1);
  // Nothing lets the squatter in again: session, password, identity, mailed token, or a link that was in progress.
  expect((await squatter.get('/api/auth/session')).body).toEqual({ session: null });
  expect((await squatter.post('/api/auth/refresh')).status).toBe(401);
  expect((await squatter.post('/api/auth/signin', { email: 'ada@example.com', password })).status).toBe(401);
  for (const token of sent) {
    expect((await client().post('/api/auth/reset-password', { token, password })).status).toBe(400);
    expect((await client().post('/api/auth/verify-email', { token })).status).toBe(400);
  }
  expect(locationOf(await squatter.get(fake.consent(pending.url, discordAda)))).toContain('invalid_state');
  const returning = client();
  await signInBy({ client: returning, fake }, 'github', { id: 666, email: 'squatter@example.com' });
  expect((await returning.get('/api/auth/session')).body.session).not.toMatchObject({ user: { id: account.id } });
  const { items } = await server.stores.events.listByUser(account.id, { limit: 50, after: null });
  expect(items).toContainEqual(
    expect.objectContaining({
      type: 'account.reclaimed',
      detail: { provider: 'google', hadPassword: true, hadSecondFactor: false, unlinked: ['github'] },
    }),
  );
  expect(items.filter(({ type }) => type === 'session.revoked')).toMatchObject([
    { detail: { reason: 'account_reclaimed' } },
  ]);
});

it.each([true, false])(
  'leaves only the owner of the mailbox in an account whose password they reset (proven before: %s)',
  async (isProven) => {
    const sent: string[] = [];
    const oauth = await createOAuthServer({ auth: mails(sent) });
    const { server, fake, client } = oauth;
    const browser = client();
    await browser.post('/api/auth/signup', { email: 'ada@example.com', password });
    const [account] = await usersOf(oauth);
    if (!account) throw new TypeError('unreachable');
    if (isProven) await server.stores.users.proveEmail(account.id, account.email);
    const link = (await browser.post('/api/auth/oauth/github/link')).body as unknown as { url: string };
    await browser.get(fake.consent(link.url, { id: 666, email: 'squatter@example.com' }));
    await server.auth.drain();
    sent.length = 0;
    await client().post('/api/auth/forgot-password', { email: 'ada@example.com' });
    await server.auth.drain();
    const [token] = sent;
    expect((await client().post('/api/auth/reset-password', { token, password: 'another good one' })).status).toBe(200);
    const linked = await server.stores.oauthAccounts.list(account.id);
    expect(linked.map(({ provider }) => provider)).toEqual(isProven ? ['github'] : []);
    const { items } = await server.stores.events.listByUser(account.id, { limit: 50, after: null });
    const reclaimed = items.filter(({ type }) => type === 'account.reclaimed');
    expect(reclaimed.map(({ detail }) => detail['unlinked'])).toEqual(isProven ? [] : [['github']]);
  },
);

it.each(engines)(
  'creates a new account for an address that a provider does not prove, and leaves the owner theirs, on %s',
  async (engine) => {
    const sent: string[] = [];
    const oauth = await createOAuthServer({ engine, auth: mails(sent) });
    const { server, fake, client } = oauth;
    const owner = client();
    await owner.post('/api/auth/signup', { email: 'ada@example.com', password });
    const [before] = await usersOf(oauth);
    if (!before) throw new TypeError('unreachable');
    for (const [provider, person] of Object.entries({
      github: ada,
      discord: discordAda,
      company: { ...ada, sub: 'c' },
    })) {
      const newcomer = client();
      expect(locationOf(await signInBy({ client: newcomer, fake }, provider, person))).toBe('/');
      expect((await newcomer.get('/api/auth/session')).body.session).not.toMatchObject({ user: { id: before.id } });
    }
    const users = await usersOf(oauth);
    expect(users).toHaveLength(4);
    expect(users.filter(({ loginEmail }) => loginEmail !== null)).toEqual([before]);
    expect(await server.stores.oauthAccounts.list(before.id)).toEqual([]);
    expect(await server.stores.sessions.countActive(before.id)).toBe(1);
    expect((await client().post('/api/auth/signin', { email: 'ada@example.com', password })).status).toBe(200);
    await server.auth.drain();
    sent.length = 0;
    await client().post('/api/auth/forgot-password', { email: 'ada@example.com' });
    await server.auth.drain();
    const [token] = sent;
    expect((await client().post('/api/auth/reset-password', { token, password: 'another good one' })).status).toBe(200);
    expect(await server.stores.users.findById(before.id)).not.toMatchObject({ passwordHash: before.passwordHash });
  },
);

it('leaves an address free for its owner if another person signed up with it through an untrusted provider', async () => {
  const oauth = await createOAuthServer();
  const { fake, client } = oauth;
  await signInBy({ client: client(), fake }, 'github', ada);
  const owner = client();
  expect((await owner.post('/api/auth/signup', { email: 'ada@example.com', password })).status).toBe(201);
  const byGoogle = client();
  await signInBy({ client: byGoogle, fake }, 'google', ada);
  const users = await usersOf(oauth);
  expect(users).toHaveLength(2);
  const signedUp = users.find(({ loginEmail }) => loginEmail === 'ada@example.com');
  expect((await byGoogle.get('/api/auth/session')).body.session).toMatchObject({ user: { id: signedUp?.id } });
});

it('refuses a missing, empty or invalid address before anything is written', async () => {
  const oauth = await createOAuthServer();
  const { fake, client } = oauth;
  const addresses = [
    '',
    ' ',
    '\t',
    null,
    undefined,
    'ada',
    'ada@',
    '@example.com',
    'a@b',
    'a@b.c, d@e.f',
    'a@example.com\r\nBcc: b@c.d',
    'a＠example.com',
    `${'x'.repeat(250)}@example.com`,
  ];
  for (const email of addresses) {
    for (const provider of ['google', 'discord', 'github']) {
      const browser = client();
      const person = { ...ada, id: provider === 'github' ? 1 : '1', email, emails: [] };
      expect(locationOf(await signInBy({ client: browser, fake }, provider, person))).toBe(
        '/auth/error?error=email_required',
      );
      expect([...browser.cookies]).toEqual([]);
    }
  }
  expect(await usersOf(oauth)).toEqual([]);
  expect(await oauth.server.stores.oauthAccounts.findUserId('google', 'g-1')).toBeNull();
});

it.each(engines)('stores neither user nor link nor session if a hook throws on %s', async (engine) => {
  const faults: readonly (() => unknown)[] = [
    () => Promise.reject(new Error('no')),
    () => {
      throw new CodedError('CONFLICT', 'no');
    },
    async () => {
      await Promise.resolve();
      throw new TypeError('no');
    },
  ];
  for (const fault of faults) {
    for (const hook of ['onUserCreated', 'onEmailProven'] as const) {
      const oauth = await createOAuthServer({ engine, auth: { [hook]: fault } });
      const { server, fake, client } = oauth;
      const browser = client();
      expect(locationOf(await signInBy({ client: browser, fake }, 'google', ada))).toBe(
        '/auth/error?error=user_setup_failed',
      );
      expect([...browser.cookies]).toEqual([]);
      expect(await usersOf(oauth)).toEqual([]);
      expect(await server.stores.oauthAccounts.findUserId('google', 'g-1')).toBeNull();
    }
  }
});

it('leaves nothing to sign in with if a hook throws while an account is reclaimed', async () => {
  const onEmailProven = (): never => {
    throw new Error('no');
  };
  const oauth = await createOAuthServer({ auth: { onEmailProven } });
  const { server, fake, client } = oauth;
  const squatter = client();
  await squatter.post('/api/auth/signup', { email: 'ada@example.com', password });
  expect(locationOf(await signInBy({ client: client(), fake }, 'google', ada))).toContain('user_setup_failed');
  expect(await usersOf(oauth)).toMatchObject([{ passwordHash: null, emailProvenAt: null, unfinished: 'reclaim' }]);
  expect((await squatter.post('/api/auth/refresh')).status).toBe(401);
  expect((await squatter.post('/api/auth/signin', { email: 'ada@example.com', password })).status).toBe(401);
  expect(await server.stores.oauthAccounts.findUserId('google', 'g-1')).toBeNull();
});

it('passes the provider to the hooks, and commits their writes with the user', async () => {
  const created: unknown[] = [];
  const oauth = await createOAuthServer({
    auth: {
      onUserCreated: async ({ user, provider }, { stores }) => {
        created.push({ email: user.email, provider });
        await stores.counters.add('welcomed', 1);
      },
    },
  });
  const { server, fake, client } = oauth;
  await signInBy({ client: client(), fake }, 'google', ada);
  await signInBy({ client: client(), fake }, 'google', ada);
  await client().post('/api/auth/signup', { email: 'eve@example.com', password });
  expect(created).toEqual([
    { email: 'ada@example.com', provider: 'google' },
    { email: 'eve@example.com', provider: null },
  ]);
  expect(await server.stores.counters.read('welcomed')).toBe(2);
});

it('links by address for a provider that the operator trusts, as for Google', async () => {
  const { fake } = await createOAuthServer();
  const { issuer, clientId, clientSecret } = fake.settings;
  const trusted = oidcProvider({ id: 'company', issuer, clientId, clientSecret, trustEmail: true });
  const { server, client } = await createTestServer({ auth: { providers: [trusted], oauthEncryptionKey: 'key' } });
  const existing = await addUser(server, { email: 'ada@example.com', emailProvenAt: new Date(0) });
  await signInBy({ client: client(), fake }, 'company', ada);
  expect((await server.stores.oauthAccounts.list(existing.id)).map(({ provider }) => provider)).toEqual(['company']);
});

it.each(engines)('signs in one user with one link for 50 concurrent first callbacks on %s', async (engine) => {
  for (const [provider, person] of [
    ['google', ada],
    ['github', ada],
  ] as const) {
    const created: string[] = [];
    const onUserCreated: AuthOptions['onUserCreated'] = ({ user }) => void created.push(user.id);
    const oauth = await createOAuthServer({ engine, auth: { onUserCreated } });
    const { server, fake, client } = oauth;
    const browsers = Array.from({ length: 50 }, () => client());
    const paths = await Promise.all(browsers.map(async (each) => fake.consent(await start(each, provider), person)));
    const responses = await Promise.all(browsers.map((each, index) => each.get(paths[index] ?? '')));
    expect(new Set(responses.map(locationOf))).toEqual(new Set(['/']));
    const [user, ...others] = await usersOf(oauth);
    expect(others).toEqual([]);
    expect(created).toEqual([user?.id]);
    expect(user && (await server.stores.oauthAccounts.list(user.id))).toHaveLength(1);
    expect(user && (await server.stores.sessions.countActive(user.id))).toBe(50);
  }
});

it('requires stores with providers in production', async () => {
  const { fake } = await createOAuthServer();
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const creating = createAuth({
    baseUrl: 'https://app.example.com',
    session: { strategy: 'jwt', algorithm: 'ES256' },
    ...pair,
    providers: [googleProvider(fake.settings)],
    oauthEncryptionKey: 'a key of at least 16 bytes',
  });
  await expect(creating).rejects.toThrow('stores: are required with providers in production');
});
