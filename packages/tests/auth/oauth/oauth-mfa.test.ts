import type { AuthOptions } from '@x/auth';
import { expect, it, vi } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { locationOf, providersOf, signInBy, start } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createMfaServer, enrol } from '../../support/second-factor.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestDatabase, engines } from '../../support/test-server.ts';

const ada = { sub: 'g-1', id: 1, email: 'ada@example.com', email_verified: true };

async function startServer(engine: (typeof engines)[number] = 'memory', settings: Partial<AuthOptions> = {}) {
  const database = createTestDatabase(engine);
  const fake = await startFakeProvider(() => database.clock.now());
  const auth = { ...providersOf(fake), ...settings };
  return { ...(await createMfaServer({ database, auth })), fake };
}

it.each(engines)('gives a user with a second factor a challenge instead of a session on %s', async (engine) => {
  const oauth = await startServer(engine);
  const { server, fake, client } = oauth;
  const { browser, nextCode, wrongCode } = await enrol(oauth);
  await browser.post('/api/auth/confirm', { code: nextCode() });
  const { url } = (await browser.post('/api/auth/oauth/github/link')).body as unknown as { url: string };
  await browser.get(fake.consent(url, ada));
  const other = client();
  const response = await other.get(fake.consent(await start(other, 'github', '?redirectTo=/projects/7'), ada));
  expect(locationOf(response)).toBe('/mfa');
  expect([...other.cookies.keys()]).toEqual(['app.mfa']);
  expect(response.headers.getSetCookie().join()).not.toMatch(/app\.(sid|ref)/);
  expect((await other.get('/api/auth/session')).body).toEqual({ session: null });
  expect(refusalOf(await other.post('/api/auth/mfa/challenge', { code: wrongCode() }))).toBe('MFA_INVALID_CODE');
  const completed = await other.post('/api/auth/mfa/challenge', { code: nextCode() });
  expect(completed).toMatchObject({
    status: 200,
    body: { redirectTo: '/projects/7', user: { email: 'ada@example.com' } },
  });
  expect((await other.get('/api/auth/session')).body.session).not.toBeNull();
  expect((await server.stores.users.list({ limit: 10, after: null })).items).toHaveLength(1);
});

it.each(engines)(
  'links the account whose address Google proves only as far as its second factor on %s',
  async (engine) => {
    const oauth = await startServer(engine, { mfaRedirect: 'https://spa.example.com/code' });
    const { server, fake, client } = oauth;
    const { userId, nextCode } = await enrol(oauth);
    const [account] = (await server.stores.users.list({ limit: 1, after: null })).items;
    await server.stores.users.proveEmail(account?.id ?? ('' as never), 'ada@example.com');
    const other = client();
    expect(locationOf(await signInBy({ client: other, fake }, 'google', ada))).toBe('https://spa.example.com/code');
    expect([...other.cookies.keys()]).toEqual(['app.mfa']);
    expect(await server.stores.oauthAccounts.findUserId('google', 'g-1')).toBe(userId);
    expect((await other.post('/api/auth/mfa/challenge', { code: nextCode() })).status).toBe(200);
  },
);

it.each(engines)('refuses a challenge once the identity that it was issued for is unlinked on %s', async (engine) => {
  const mailbox = createMailbox();
  const oauth = await startServer(engine, { ...mailbox.auth });
  const { fake, client } = oauth;
  const { browser, nextCode } = await enrol(oauth);
  await browser.post('/api/auth/confirm', { code: nextCode() });
  const begin = async (): Promise<TestClient> => {
    const { url } = (await browser.post('/api/auth/oauth/github/link')).body as unknown as { url: string };
    await browser.get(fake.consent(url, ada));
    const other = client();
    expect(locationOf(await signInBy({ client: other, fake }, 'github', ada))).toBe('/mfa');
    return other;
  };
  const unlinked = await begin();
  expect((await browser.send('/api/auth/oauth-accounts/github', { method: 'DELETE' })).status).toBe(200);
  const refused = await unlinked.post('/api/auth/mfa/challenge', { code: nextCode() });
  expect([refusalOf(refused), [...unlinked.cookies]]).toEqual(['SESSION_EXPIRED', []]);

  // The owner of an unproven address reclaims the account from the squatter who linked the identity.
  const squatter = await begin();
  await client().post('/api/auth/forgot-password', { email: ada.email });
  const token = await mailbox.lastToken(oauth, 'reset', ada.email);
  const password = 'another horse battery';
  expect((await client().post('/api/auth/reset-password', { token, password })).status).toBe(200);
  expect(refusalOf(await squatter.post('/api/auth/mfa/challenge', { code: nextCode() }))).toBe('SESSION_EXPIRED');
});

it('removes the second factor of a squatter together with everything else', async () => {
  const oauth = await startServer();
  const { server, fake, client } = oauth;
  const { browser, challenged, nextCode } = await enrol(oauth);
  const waiting = await challenged();
  const owner = client();
  expect(locationOf(await signInBy({ client: owner, fake }, 'google', ada))).toBe('/');
  expect((await owner.get('/api/auth/mfa/status')).body).toMatchObject({ enabled: false });
  expect(refusalOf(await waiting.post('/api/auth/mfa/challenge', { code: nextCode() }))).toBe('SESSION_EXPIRED');
  expect((await browser.post('/api/auth/refresh')).status).toBe(401);
  const [account] = (await server.stores.users.list({ limit: 10, after: null })).items;
  const { items } = await server.stores.events.listByUser(account?.id ?? ('' as never), { limit: 50, after: null });
  const reclaimed = items.filter(({ type }) => type === 'account.reclaimed');
  expect(reclaimed).toMatchObject([{ detail: { hadPassword: true, hadSecondFactor: true } }]);
});

it('requires a second factor that is turned on during the callback, before any session', async () => {
  const oauth = await startServer();
  const { server, fake, client } = oauth;
  const { id } = await addUser(server, { email: 'ada@example.com', emailProvenAt: new Date(0) });
  const expiresAt = new Date(oauth.clock.now().getTime() + 60_000);
  await server.stores.mfa.startSetup({ userId: id, secret: 'sealed', expiresAt });
  const transaction = server.stores.transaction.bind(server.stores);
  // Between the plan, which sees no second factor, and the transaction.
  vi.spyOn(server.stores, 'transaction').mockImplementationOnce(async (work) => {
    expect(await server.stores.mfa.enable(id, { secret: 'sealed', step: 1, backupCodeHashes: [] })).toBe(true);
    return transaction(work);
  });
  const browser = client();
  expect(locationOf(await signInBy({ client: browser, fake }, 'google', ada))).toBe('/mfa');
  expect([...browser.cookies.keys()]).toEqual(['app.mfa']);
  expect(await server.stores.sessions.countActive(id)).toBe(0);
});
