import { withSetCookies } from '@x/auth/guards';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { setCookie } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, submitCode, claimOf, createMfaServer, enrol } from '../../support/second-factor.ts';
import { createTestDatabase, engines } from '../../support/test-server.ts';

const minute = 60_000;
const over = ['/', '/api', '/api/auth', '/api/auth/mfa'].map(
  (path) => `app.mfa=; Max-Age=0; Path=${path}; HttpOnly; Secure; SameSite=Lax`,
);

describe.each(engines)('a sign-in with a second factor on %s', (engine) => {
  it('sets no session cookie before the second factor', async () => {
    const test = await createMfaServer({ engine });
    const { userId } = await enrol(test);
    const browser = test.client();
    const signIn = await browser.post('/api/auth/signin', ada);
    expect(refusalOf(signIn)).toBe('MFA_REQUIRED');
    expect(signIn.headers.getSetCookie()).toEqual([
      ...over.slice(0, -1),
      expect.stringMatching(/^app\.mfa=[\w-]+; Max-Age=300; Path=\/api\/auth\/mfa; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(signIn.headers.get('cache-control')).toBe('no-store');
    expect([...browser.cookies.keys()]).toEqual(['app.mfa']);
    expect(await test.server.stores.sessions.countActive(userId as UserId)).toBe(1);
    expect((await browser.get('/api/auth/session')).body).toEqual({ session: null });
    for (const [method, route] of [
      ['POST', '/refresh'],
      ['GET', '/sessions'],
      ['POST', '/mfa/step-up'],
      ['POST', '/mfa/setup'],
    ] as const) {
      const refused = await browser.send(`/api/auth${route}`, { method, ...(route.includes('step') && { body: {} }) });
      expect([401, refused.headers.getSetCookie().filter((cookie) => !cookie.includes('Max-Age=0'))]).toEqual([
        refused.status,
        [],
      ]);
    }
  });

  it('is completed by a code, in a new session whose JWT has fva', async () => {
    const test = await createMfaServer({ engine });
    const { browser: first, challenged, nextCode } = await enrol(test);
    const browser = await challenged();
    const answered = await submitCode(browser, nextCode());
    expect([answered.status, Object.keys(answered.body)]).toEqual([200, ['user', 'expiresAt']]);
    expect(answered.body.user).toMatchObject({ email: ada.email });
    const cookies = answered.headers.getSetCookie();
    expect(new Set(cookies.map((cookie) => cookie.replace(/=.*/, '')))).toEqual(
      new Set(['app.sid', 'app.ref', 'app.mfa']),
    );
    expect(cookies.filter((cookie) => cookie.startsWith('app.mfa='))).toEqual(over);
    const seconds = Math.floor(test.clock.now().getTime() / 1000);
    expect(claimOf(browser, 'fva')).toBe(seconds);
    expect(claimOf(browser, 'sid')).not.toBe(claimOf(first, 'sid'));

    test.clock.advance(minute);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    expect(claimOf(browser, 'fva')).toBe(seconds);
  });

  it('is completed once by a backup code, in upper or lower case, with or without separators', async () => {
    const { backupCodes, browser, challenged } = await enrol(await createMfaServer({ engine }));
    const [first = '', second = ''] = backupCodes;
    const spelled = ` ${first.toUpperCase().replaceAll('-', ' ')} `;
    expect((await submitCode(await challenged(), spelled)).status).toBe(200);
    expect(refusalOf(await submitCode(await challenged(), first))).toBe('MFA_INVALID_CODE');
    expect((await submitCode(await challenged(), second.replaceAll('-', ''))).status).toBe(200);
    expect((await browser.get('/api/auth/mfa/status')).body.backupCodesRemaining).toBe(8);
  });

  it('refuses a code of an accepted time step or of an earlier one', async () => {
    const { challenged, code, nextCode } = await enrol(await createMfaServer({ engine }));
    nextCode();
    expect((await submitCode(await challenged(), code(1))).status).toBe(200);
    for (const steps of [1, 0, -1]) {
      expect(refusalOf(await submitCode(await challenged(), code(steps)))).toBe('MFA_INVALID_CODE');
    }
    nextCode();
    expect(refusalOf(await submitCode(await challenged(), code())), 'the same step, which is the current one now').toBe(
      'MFA_INVALID_CODE',
    );
    expect((await submitCode(await challenged(), nextCode())).status).toBe(200);
  });

  it('accepts a challenge only once', async () => {
    const test = await createMfaServer({ engine });
    const { challenged, nextCode } = await enrol(test);
    const browser = await challenged();
    const challenge = browser.cookies.get('app.mfa')!;
    expect((await submitCode(browser, nextCode())).status).toBe(200);
    const again = test.client();
    again.cookies.set('app.mfa', challenge);
    const refused = await submitCode(again, nextCode());
    expect([refusalOf(refused), refused.headers.getSetCookie()]).toEqual(['SESSION_EXPIRED', over]);
    // The refused attempt consumed nothing.
    expect((await submitCode(await challenged(), nextCode())).status).toBe(200);
  });

  it('accepts a challenge for 300 seconds and not a millisecond longer', async () => {
    const test = await createMfaServer({ engine });
    const { challenged, code } = await enrol(test);
    const [inTime, tooLate] = [await challenged(), await challenged()];
    test.clock.advance(5 * minute - 1);
    expect((await submitCode(inTime, code())).status).toBe(200);
    test.clock.advance(1);
    const refused = await submitCode(tooLate, code(1));
    expect([refusalOf(refused), refused.headers.getSetCookie()]).toEqual(['SESSION_EXPIRED', over]);
  });

  it("refuses another user's code for a challenge", async () => {
    const test = await createMfaServer({ engine });
    const [one, other] = [await enrol(test), await enrol(test, { ...ada, email: 'eve@example.com' })];
    const browser = await one.challenged();
    test.clock.advance(30_000);
    expect(refusalOf(await submitCode(browser, other.code()))).toBe('MFA_INVALID_CODE');
    expect(refusalOf(await submitCode(browser, other.backupCodes[0]))).toBe('MFA_INVALID_CODE');
    expect((await submitCode(browser, one.code())).body.user.id).toBe(one.userId);
  });

  it('refuses a missing, forged or ambiguous challenge, and any other token in its place', async () => {
    const test = await createMfaServer({ engine });
    const { browser, challenged, code } = await enrol(test);
    test.clock.advance(30_000);
    const good = (await challenged()).cookies.get('app.mfa')!;
    const other = (await challenged()).cookies.get('app.mfa')!;
    const [jwt, refreshToken] = [browser.cookies.get('app.sid')!, browser.cookies.get('app.ref')!];
    const sealed = Buffer.from(good, 'base64url');
    sealed[20]! ^= 1;
    const cookies = ['', 'app.mfa=', `app.mfa=${sealed.toString('base64url')}`, `app.mfa=${jwt}`];
    for (const cookie of [...cookies, `app.mfa=${refreshToken}`, `app.mfa=${good}; app.mfa=${other}`, `app.mfa=%`]) {
      const headers = { cookie };
      const refused = await test.client().post('/api/auth/mfa/challenge', { code: code() }, { headers });
      expect(refusalOf(refused), cookie).toBe('SESSION_EXPIRED');
    }
    for (const name of ['app.sid', 'app.ref']) {
      const headers = { cookie: `${name}=${good}` };
      expect(refusalOf(await test.client().post('/api/auth/refresh', undefined, { headers }))).toBe('SESSION_EXPIRED');
      expect((await test.client().get('/api/auth/session', { headers })).body).toEqual({ session: null });
    }
  });

  it('refuses a challenge once the password that it was issued for has changed', async () => {
    const mailbox = createMailbox();
    const test = await createMfaServer({ engine, auth: mailbox.auth });
    const { challenged, nextCode } = await enrol(test);
    // Otherwise, the reset would reclaim the account.
    const proof = await mailbox.lastToken(test, 'verification', ada.email);
    await test.client().post('/api/auth/verify-email', { token: proof, password: ada.password });
    const stale = await challenged();
    await test.client().post('/api/auth/forgot-password', { email: ada.email });
    const token = await mailbox.lastToken(test, 'reset', ada.email);
    const password = 'another horse battery';
    expect((await test.client().post('/api/auth/reset-password', { token, password })).status).toBe(200);
    expect(refusalOf(await submitCode(stale, nextCode()))).toBe('SESSION_EXPIRED');

    // The reset did not turn the second factor off.
    const browser = test.client();
    expect(refusalOf(await browser.post('/api/auth/signin', { ...ada, password }))).toBe('MFA_REQUIRED');
    expect((await submitCode(browser, nextCode())).status).toBe(200);
  });

  it('refuses a challenge once the second factor or the account is gone', async () => {
    const test = await createMfaServer({ engine });
    const { browser, challenged, nextCode, userId } = await enrol(test);
    const [first, second] = [await challenged(), await challenged()];
    await test.server.auth.admin.disableUser(userId);
    expect(refusalOf(await submitCode(first, nextCode()))).toBe('SESSION_EXPIRED');
    await test.server.auth.admin.enableUser(userId);
    const third = await challenged();
    expect((await submitCode(second, nextCode())).status).toBe(200);
    await second.post('/api/auth/mfa/disable', { code: nextCode() });
    expect(refusalOf(await submitCode(third, nextCode()))).toBe('SESSION_EXPIRED');
    expect((await browser.post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('reports a wrong password before anything about a second factor', async () => {
    const test = await createMfaServer({ engine });
    await enrol(test);
    const browser = test.client();
    expect(refusalOf(await browser.post('/api/auth/signin', { ...ada, password: 'wrong' }))).toBe(
      'INVALID_CREDENTIALS',
    );
    expect([...browser.cookies.keys()]).toEqual([]);
  });
});

describe('the key of second factors', () => {
  it('can be rotated, because older keys of the list still decrypt', async () => {
    const database = createTestDatabase('memory');
    const old = await createMfaServer({ database, auth: { oauthEncryptionKey: 'old' } });
    const { challenged, nextCode } = await enrol(old);
    const challenge = (await challenged()).cookies.get('app.mfa')!;
    const rotated = await createMfaServer({ database, auth: { oauthEncryptionKey: ['new', 'old'] } });
    const browser = rotated.client();
    browser.cookies.set('app.mfa', challenge);
    expect((await submitCode(browser, nextCode())).status).toBe(200);
    const foreign = await createMfaServer({ database, auth: { oauthEncryptionKey: 'new' } });
    const foreignBrowser = foreign.client();
    foreignBrowser.cookies.set('app.mfa', challenge);
    expect(refusalOf(await submitCode(foreignBrowser, nextCode()))).toBe('SESSION_EXPIRED');
  });

  it('is required, because a secret that no key decrypts lets no user in', async () => {
    const database = createTestDatabase('memory');
    const { challenged, nextCode, backupCodes } = await enrol(
      await createMfaServer({ database, auth: { oauthEncryptionKey: 'old' } }),
    );
    await challenged();
    const { client } = await createMfaServer({ database, auth: { oauthEncryptionKey: 'new' } });
    const browser = client();
    await browser.post('/api/auth/signin', ada);
    expect(refusalOf(await submitCode(browser, nextCode()))).toBe('MFA_INVALID_CODE');
    expect((await submitCode(browser, backupCodes[0])).status).toBe(200);
  });
});

describe('a sign-in with a second factor through auth.api', () => {
  it('returns a challenge, and is completed with auth.api.mfa', async () => {
    const test = await createMfaServer();
    const { nextCode } = await enrol(test);
    const { api } = test.server.auth;
    const challenged = await api.signIn(ada);
    expect(challenged).toMatchObject({ ok: false, error: { code: 'MFA_REQUIRED' } });
    const cookies = 'cookies' in challenged ? challenged.cookies : [];
    const headers = withSetCookies(new Headers(), cookies);
    expect(await api.mfa.challenge({ code: 'no' }, headers)).toMatchObject({
      ok: false,
      error: { code: 'MFA_INVALID_CODE' },
    });
    const completed = await api.mfa.challenge({ code: nextCode() }, headers);
    expect(completed).toMatchObject({ ok: true, value: { user: { email: ada.email } } });
    expect(completed.ok && setCookie({ headers: toHeaders(completed.value.cookies) } as never, 'app.sid')).toMatch(
      /\./,
    );
  });
});

function toHeaders(cookies: readonly string[]): Headers {
  return new Headers(cookies.map((cookie) => ['set-cookie', cookie]));
}
