import { type Client, createClient, pages } from '@x/client';
import { createCookieFetch } from '@x/client/cookies';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { startHere } from '../support/demo-in-process.ts';
import { mailedToken } from '../support/outbox.ts';
import { totpCode } from '../support/totp-code.ts';
import { codeOf, dataOf } from './outcome.ts';

const next = 'another horse battery';

it('calls every auth route from Node with kept cookies', async () => {
  const url = await startHere();
  const { auth, session } = createClient({ baseUrl: url, fetch: createCookieFetch() });
  const [account, newEmail] = [newAccount(), newAccount('new').email];
  expect(session.getSnapshot()).toEqual({ status: 'signedOut', user: null });
  expect(dataOf(await auth.getSession())).toBeNull();
  expect(codeOf(await auth.sessions.list())).toBe('UNAUTHENTICATED');

  const { user, expiresAt } = notNull(dataOf(await auth.signUp(account)));
  expect([user.email, user.emailVerified, Date.parse(expiresAt) > Date.now()]).toEqual([account.email, false, true]);
  expect(codeOf(await auth.signUp(account))).toBe('USER_EXISTS');
  expect(session.getSnapshot()).toEqual({ status: 'signedIn', user });
  expect(dataOf(await auth.getSession())).toMatchObject({ user, claims: {} });

  const replaced = await mailedToken(url, 'verification', account.email);
  expect(dataOf(await auth.resendVerification())).toEqual({ ok: true });
  await expect.poll(() => mailedToken(url, 'verification', account.email), { timeout: 30_000 }).not.toBe(replaced);
  const verification = await mailedToken(url, 'verification', account.email);
  expect(codeOf(await auth.verifyEmail({ token: replaced }))).toBe('TOKEN_INVALID');
  expect(dataOf(await auth.verifyEmail({ token: verification }))).toEqual({ ok: true });
  dataOf(await auth.refresh());
  expect(session.getSnapshot().user).toMatchObject({ emailVerified: true });

  const wrong = { currentPassword: 'not this one', newPassword: next };
  expect(codeOf(await auth.changePassword(wrong))).toBe('INVALID_CREDENTIALS');
  expect(dataOf(await auth.changePassword({ ...wrong, currentPassword: account.password }))).toEqual({ ok: true });
  expect(dataOf(await auth.changeEmail({ email: newEmail, password: next }))).toEqual({ ok: true });
  dataOf(await auth.verifyEmail({ token: await mailedToken(url, 'verification', newEmail) }));
  // The JWT names the old address: it is refused, and the client refreshes it unseen.
  expect(dataOf(await auth.getSession())?.user.email).toBe(newEmail);

  expect(dataOf(await auth.signOut())).toEqual({ ok: true });
  expect(session.getSnapshot().status).toBe('signedOut');
  dataOf(await auth.forgotPassword({ email: newEmail }));
  const token = await mailedToken(url, 'reset', newEmail);
  const refused = await auth.resetPassword({ token, password: 'short' });
  expect(refused).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED', issues: [{ path: ['password'] }] } });
  dataOf(await auth.resetPassword({ token, password: account.password }));
  expect(codeOf(await auth.signIn({ email: newEmail, password: next }))).toBe('INVALID_CREDENTIALS');
  dataOf(await auth.signIn({ email: newEmail, password: account.password }));

  expect(codeOf(await auth.deleteAccount({ password: next }))).toBe('INVALID_CREDENTIALS');
  expect(session.getSnapshot().status).toBe('signedIn');
  expect(dataOf(await auth.deleteAccount({ password: account.password }))).toEqual({ ok: true });
  expect(session.getSnapshot().status).toBe('signedOut');
});

it('sets up, requires, shows and turns off a second factor', async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const client = createClient({ baseUrl: url, fetch: createCookieFetch() });
  const { mfa, ...auth } = client.auth;
  const account = newAccount();
  const { user } = notNull(dataOf(await auth.signUp(account)));
  expect(dataOf(await mfa.status())).toEqual({ enabled: false, backupCodesRemaining: 0 });

  const { secret, uri } = dataOf(await mfa.setup());
  expect(uri).toMatch(/^otpauth:/);
  expect(codeOf(await mfa.verifySetup({ code: '000000' }))).toBe('MFA_INVALID_CODE');
  const { backupCodes } = dataOf(await mfa.verifySetup({ code: totpCode(secret, new Date()) }));
  expect(dataOf(await mfa.status())).toEqual({ enabled: true, backupCodesRemaining: 10 });

  dataOf(await auth.signOut());
  expect(codeOf(await auth.signIn(account))).toBe('MFA_REQUIRED');
  expect(client.session.getSnapshot().status).toBe('signedOut');
  expect(codeOf(await mfa.challenge({ code: '000000' }))).toBe('MFA_INVALID_CODE');
  expect(dataOf(await mfa.challenge({ code: backupCodes[0]! })).user).toEqual(user);
  expect(client.session.getSnapshot()).toEqual({ status: 'signedIn', user });
  expect(codeOf(await mfa.challenge({ code: backupCodes[1]! }))).toBe('SESSION_EXPIRED');
  expect(client.session.getSnapshot().status).toBe('signedIn');

  expect(dataOf(await mfa.stepUp({ code: backupCodes[1]! })).user).toEqual(user);
  const replaced = dataOf(await mfa.backupCodes({ code: backupCodes[2]! }));
  expect(codeOf(await mfa.stepUp({ code: backupCodes[3]! }))).toBe('MFA_INVALID_CODE');
  expect(dataOf(await mfa.disable({ code: replaced.backupCodes[0]! }))).toEqual({ ok: true });
  expect(dataOf(await mfa.status()).enabled).toBe(false);
});

it('lists, links and unlinks identities of providers', async () => {
  const { auth } = createClient({ baseUrl: await startHere(), fetch: createCookieFetch() });
  const providers = dataOf(await auth.providers());
  expect(providers[0]).toEqual({ id: 'google', name: 'Google', url: '/api/auth/oauth/google' });
  expect(codeOf(await auth.oauthAccounts.list())).toBe('UNAUTHENTICATED');
  dataOf(await auth.signUp(newAccount()));
  expect(dataOf(await auth.oauthAccounts.list())).toEqual([]);
  expect(new URL(dataOf(await auth.oauthAccounts.link('github', { redirectTo: '/' })).url).search).toContain('state=');
  expect(dataOf(await auth.oauthAccounts.link('google')).url).toMatch(/^http/);
  expect(codeOf(await auth.oauthAccounts.link('nobody'))).toBe('NOT_FOUND');
  expect(codeOf(await auth.oauthAccounts.unlink('github'))).toBe('NOT_FOUND');
});

it('lists and switches tenants', async () => {
  const { auth } = createClient({ baseUrl: await startHere(), fetch: createCookieFetch() });
  dataOf(await auth.signUp(newAccount()));
  const { tenants, currentTenantId } = dataOf(await auth.tenants.list());
  expect(tenants).toEqual([{ id: currentTenantId, name: expect.stringMatching(/'s workspace$/) }]);
  const [{ id: tenantId } = { id: '' }] = tenants;
  expect(dataOf(await auth.tenants.switch({ tenantId })).user).toMatchObject({ tenantId });
  expect(codeOf(await auth.tenants.switch({ tenantId: 'x' }))).toBe('FORBIDDEN');
});

it('responds NOT_FOUND to a feature that the server has switched off', async () => {
  const { auth } = createClient({ baseUrl: await startHere({ MFA: 'false' }), fetch: createCookieFetch() });
  dataOf(await auth.signUp(newAccount()));
  expect(codeOf(await auth.mfa.setup())).toBe('NOT_FOUND');
});

it('lists and signs out devices, and pages through events', async () => {
  const url = await startHere();
  const account = newAccount();
  const devices = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const device = createClient({ baseUrl: url, fetch: createCookieFetch() });
      if (index === 0) dataOf(await device.auth.signUp(account));
      return device;
    }),
  );
  const [first, second, third] = devices as [Client, Client, Client];
  for (const device of [second, third]) dataOf(await device.auth.signIn(account));
  const listed = dataOf(await first.auth.sessions.list());
  expect([listed.length, listed.filter(({ isCurrent }) => isCurrent).length]).toEqual([3, 1]);

  const other = listed.find(({ isCurrent }) => !isCurrent)!;
  expect(dataOf(await first.auth.sessions.revoke(other.id))).toEqual({ ok: true });
  expect(codeOf(await first.auth.sessions.revoke(other.id))).toBe('SESSION_NOT_FOUND');
  expect(codeOf(await first.auth.sessions.revoke('../sessions'))).toBe('SESSION_NOT_FOUND');
  expect(dataOf(await first.auth.sessions.revokeOthers())).toEqual({ ok: true, revoked: 1 });
  for (const device of [second, third]) {
    expect(codeOf(await device.auth.sessions.list())).toBe('SESSION_EXPIRED');
    expect(device.session.getSnapshot().status).toBe('signedOut');
  }

  const visited: string[][] = [];
  for await (const page of pages(first.auth.events, { limit: 2 })) visited.push(dataOf(page).items.map(({ id }) => id));
  const all = dataOf(await first.auth.events({ limit: 100 })).items.map(({ id }) => id);
  expect([visited.flat(), visited.length > 1]).toEqual([all, true]);
  expect(codeOf(await first.auth.events({ limit: 0 }))).toBe('INVALID_QUERY');
});

it('acts as the user of a given JWT, and refreshes nothing', async () => {
  const url = await startHere();
  const cookies = new Map<string, string>();
  const first = createClient({ baseUrl: url, fetch: createCookieFetch(fetch, cookies) });
  const { user } = notNull(dataOf(await first.auth.signUp(newAccount())));
  const program = createClient({ baseUrl: url, bearer: async () => cookies.get('app.sid')! });
  expect(dataOf(await program.auth.getSession())?.user).toEqual(user);
  expect(dataOf(await program.request<{ sessions: unknown[] }>('/api/auth/sessions')).sessions).toHaveLength(1);
  expect(dataOf(await program.auth.sessions.revokeOthers())).toEqual({ ok: true, revoked: 0 });
  expect(codeOf(await createClient({ baseUrl: url, bearer: () => 'x' }).auth.sessions.list())).toBe('UNAUTHENTICATED');
});

it('refreshes in Node the session of kept cookies', async () => {
  const url = await startHere();
  const cookies = new Map<string, string>();
  const first = createClient({ baseUrl: url, fetch: createCookieFetch(fetch, cookies) });
  const { user } = notNull(dataOf(await first.auth.signUp(newAccount())));
  cookies.delete('app.sid');
  const later = createClient({ baseUrl: url, fetch: createCookieFetch(fetch, cookies) });
  expect(dataOf(await later.auth.refresh()).user).toEqual(user);
  expect(later.session.getSnapshot()).toEqual({ status: 'signedIn', user });
  expect(codeOf(await createClient({ baseUrl: url }).auth.refresh())).toBe('SESSION_EXPIRED');
});

it('reports a limit with the seconds that it lasts', async () => {
  const url = await startHere({ SIGNIN_RATE_LIMIT: '1/1h' });
  const { auth } = createClient({ baseUrl: url, fetch: createCookieFetch() });
  const account = newAccount();
  await auth.signIn(account);
  const limited = await auth.signIn(account);
  expect(limited).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED', status: 429 } });
  expect(!limited.ok && limited.error.retryAfter).toBeGreaterThan(3500);
});

function notNull<T>(value: T | null): T {
  if (value === null) throw new TypeError('There is nothing.');
  return value;
}
