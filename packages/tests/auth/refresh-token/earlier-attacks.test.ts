import { describe, expect, it } from 'vitest';
import { locationOf, signInBy } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { submitCode } from '../../support/second-factor.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';
import { totpCode } from '../../support/totp-code.ts';
import { type Account, createAccount, createWholeServer, type WholeServer } from '../../support/whole-server.ts';

// Issue 23: each of these took an account over, or kept it.

const newPassword = 'another horse battery';
const attackerAtDiscord = { id: '666', email: 'attacker@example.com' };

/** A browser that has nothing but a JWT. */
function withJwt({ client }: WholeServer, jwt: string): TestClient {
  const browser = client();
  browser.cookies.set('app.sid', jwt);
  return browser;
}

/** Links the attacker's identity to the account of a browser, as far as that is allowed, and returns the answer. */
async function linkAttacker(test: WholeServer, browser: TestClient): Promise<string> {
  const started = await browser.post('/api/auth/oauth/discord/link');
  if (started.status !== 200) return refusalOf(started);
  const { url } = started.body as unknown as { readonly url: string };
  return locationOf(await browser.get(test.fake.consent(url, attackerAtDiscord)));
}

/** Whether the identity of {@link linkAttacker} signs in to an account. */
async function signsIn(test: WholeServer, { userId }: Account): Promise<boolean> {
  const browser = test.client();
  await signInBy({ client: browser, fake: test.fake }, 'discord', attackerAtDiscord);
  const jwt = browser.cookies.get('app.sid');
  return jwt !== undefined && readToken(jwt).payload['sub'] === userId;
}

async function resetPassword(test: WholeServer, { email }: Account): Promise<TestResponse> {
  await test.client().post('/api/auth/forgot-password', { email });
  const token = await test.mailbox.lastToken(test, 'reset', email);
  return test.client().post('/api/auth/reset-password', { token, password: newPassword });
}

describe.each(engines)('on %s', (engine) => {
  it('a stolen JWT of 60 seconds does not live longer by 40 switches of the tenant', async () => {
    const test = await createWholeServer({ engine, auth: { session: { strategy: 'jwt', algorithm: 'ES256' } } });
    const { browser, sessionId } = await createAccount(test);
    const stolen = browser.cookies.get('app.sid')!;
    const thief = withJwt(test, stolen);
    for (let turn = 0; turn < 40; turn++) {
      const { headers } = await thief.post('/api/auth/switch-tenant', { tenantId: turn % 2 === 0 ? 'one' : 'two' });
      expect(headers.getSetCookie()).toEqual([]);
      test.clock.advance(55_000);
    }
    expect(thief.cookies).toEqual(new Map([['app.sid', stolen]]));
    expect((await thief.get('/api/auth/session')).body).toEqual({ session: null });
    expect((await thief.post('/api/auth/refresh')).status).toBe(401);
    expect(await test.server.stores.sessions.findById(sessionId)).toMatchObject({ ver: 0, tenantId: null });
  });

  it('a stolen JWT turns on no factor, changes no address, and so takes no account', async () => {
    const test = await createWholeServer({ engine });
    const account = await createAccount(test);
    const thief = withJwt(test, account.browser.cookies.get('app.sid')!);
    const setUp = await thief.post('/api/auth/mfa/setup');
    expect(refusalOf(setUp)).toBe('SESSION_EXPIRED');
    const code = totpCode(setUp.body.secret ?? 'A', test.clock.now());
    const verified = await thief.post('/api/auth/mfa/verify-setup', { code });
    expect(refusalOf(verified)).toBe('SESSION_EXPIRED');
    const change = { email: 'attacker@example.com', code: verified.body.backupCodes?.[0] ?? '123456' };
    expect(refusalOf(await thief.post('/api/auth/change-email', change))).toBe('SESSION_EXPIRED');
    await test.server.auth.drain();
    expect(test.mailbox.mails.filter(({ to }) => to === 'attacker@example.com')).toEqual([]);
    const { email, password } = account;
    expect((await test.client().post('/api/auth/signin', { email, password })).status).toBe(200);
  });

  it.each(['a JWT', 'a session whose proof is old'])('%s links no identity that would outlive it', async (loot) => {
    const test = await createWholeServer({ engine });
    const account = await createAccount(test, { isProven: true });
    const { browser, otherBrowser } = account;
    if (loot !== 'a JWT') test.clock.advance(301_000);
    const thief = withJwt(test, browser.cookies.get('app.sid')!);
    if (loot !== 'a JWT') thief.cookies.set('app.ref', browser.cookies.get('app.ref')!);
    expect(await linkAttacker(test, thief)).toBe(loot === 'a JWT' ? 'SESSION_EXPIRED' : 'STEP_UP_REQUIRED');
    const change = { currentPassword: account.password, newPassword };
    expect((await otherBrowser.post('/api/auth/change-password', change)).status).toBe(200);
    expect((await otherBrowser.send('/api/auth/sessions', { method: 'DELETE' })).status).toBe(200);
    expect(await signsIn(test, account)).toBe(false);
    expect((await resetPassword(test, account)).status).toBe(200);
    expect(await signsIn(test, account)).toBe(false);
  });

  it('a state cookie that is planted in another browser links no user to the account that it is of', async () => {
    const test = await createWholeServer({ engine });
    const [attacker, victim] = [await createAccount(test), await createAccount(test)];
    const { body } = await attacker.browser.post('/api/auth/oauth/google/link');
    const { url } = body as unknown as { readonly url: string };
    const path = test.fake.consent(url, { sub: 'victim', email: victim.email, email_verified: true });
    for (const [name, value] of attacker.browser.cookies) {
      if (name.startsWith('app.oauth.')) victim.browser.cookies.set(name, value);
    }
    expect(locationOf(await victim.browser.get(path))).toContain('invalid_state');
    expect(await test.server.stores.oauthAccounts.findUserId('google', 'victim')).toBeNull();
  });

  it('a squatter with a factor, an identity and a session is out when the owner of the address resets the password', async () => {
    const test = await createWholeServer({ engine });
    const squat = await createAccount(test, { hasFactor: true });
    const waiting = test.client();
    await waiting.post('/api/auth/signin', { email: squat.email, password: squat.password });
    expect((await resetPassword(test, squat)).status).toBe(200);

    for (const browser of [squat.browser, squat.otherBrowser]) {
      expect((await browser.post('/api/auth/refresh')).status).toBe(401);
    }
    expect(refusalOf(await submitCode(waiting, squat.backupCodes[0]))).toBe('SESSION_EXPIRED');
    expect(await test.server.stores.oauthAccounts.list(squat.userId)).toEqual([]);
    const owner = test.client();
    expect((await owner.post('/api/auth/signin', { email: squat.email, password: newPassword })).status).toBe(200);
    expect((await owner.get('/api/auth/mfa/status')).body).toMatchObject({ enabled: false });
  });
});
