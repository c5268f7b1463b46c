import { describe, expect, it } from 'vitest';
import { isValidJwt, storedSession } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, claimOf, createMfaServer, enrol } from '../../support/second-factor.ts';
import { engines } from '../../support/test-server.ts';

const path = '/api/auth/mfa/step-up';
const minute = 60_000;

describe.each(engines)(`POST ${path} on %s`, (engine) => {
  it('sets fva to the time of the server, in the same session', async () => {
    const test = await createMfaServer({ engine });
    const { browser, nextCode } = await enrol(test);
    const sid = claimOf(browser, 'sid');
    const code = nextCode();
    test.clock.advance(1999);
    const steppedUp = await browser.post(path, { code });
    expect([steppedUp.status, Object.keys(steppedUp.body)]).toEqual([200, ['user', 'expiresAt']]);
    const now = test.clock.now().getTime();
    expect(claimOf(browser, 'fva')).toBe(Math.floor(now / 1000));
    expect(claimOf(browser, 'sid')).toBe(sid);
    expect(new Date(steppedUp.body.expiresAt).getTime()).toBe((claimOf(browser, 'exp') as number) * 1000);
    expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
  });

  it('keeps fva unchanged when the session is refreshed, even after its JWT has expired', async () => {
    const test = await createMfaServer({ engine });
    const { browser, nextCode } = await enrol(test);
    await browser.post(path, { code: nextCode() });
    const fva = claimOf(browser, 'fva');
    for (const wait of [minute, 24 * 60 * minute]) {
      test.clock.advance(wait);
      expect((await browser.post('/api/auth/refresh')).status).toBe(200);
      expect(claimOf(browser, 'fva')).toBe(fva);
    }
  });

  it('changes no other session of any user', async () => {
    const test = await createMfaServer({ engine });
    const [one, other] = [await enrol(test), await enrol(test, { ...ada, email: 'eve@example.com' })];
    const second = await one.challenged();
    await second.post('/api/auth/mfa/challenge', { code: one.nextCode() });
    const fva = claimOf(second, 'fva');
    await one.browser.post(path, { code: one.nextCode() });
    await second.post('/api/auth/refresh');
    expect(claimOf(second, 'fva')).toBe(fva);
    await other.browser.post('/api/auth/refresh');
    expect(claimOf(other.browser, 'fva')).toBeUndefined();
    expect(refusalOf(await other.browser.post(path, { code: one.nextCode() }))).toBe('MFA_INVALID_CODE');
    expect(refusalOf(await other.browser.post(path, { code: one.code(), userId: one.userId }))).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('issues no fva for a password alone', async () => {
    const test = await createMfaServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    await browser.post('/api/auth/signin', ada);
    expect(claimOf(browser, 'fva')).toBeUndefined();
    expect(refusalOf(await browser.post(path, { code: '123456' }))).toBe('MFA_NOT_ENABLED');
  });

  it('neither sends nor rotates the refresh token, so that a lost response does no harm', async () => {
    const test = await createMfaServer({ engine });
    const { browser, nextCode } = await enrol(test);
    const before = browser.cookies.get('app.ref')!;
    const steppedUp = await browser.post(path, { code: nextCode() });
    const names = steppedUp.headers.getSetCookie().map((cookie) => cookie.replace(/=.*/, ''));
    expect(names).toEqual(['app.sid']);
    expect(browser.cookies.get('app.ref')).toBe(before);
    expect(await storedSession(test, before)).toMatchObject({ generation: 0 });
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it('uses up no code if the app fails to compute its claims', async () => {
    const app = { isBroken: false };
    const claims = (): Record<string, never> => {
      if (app.isBroken) throw new RangeError('no');
      return {};
    };
    const test = await createMfaServer({ engine, auth: { claims } });
    const { browser, challenged, nextCode } = await enrol(test);
    const waiting = await challenged();
    const code = nextCode();
    app.isBroken = true;
    expect(refusalOf(await browser.post(path, { code }))).toBe('INTERNAL_ERROR');
    expect(refusalOf(await waiting.post('/api/auth/mfa/challenge', { code }))).toBe('INTERNAL_ERROR');
    app.isBroken = false;
    expect((await waiting.post('/api/auth/mfa/challenge', { code })).status).toBe(200);
  });

  it('changes nothing for a wrong code, and accepts a right one afterwards', async () => {
    const test = await createMfaServer({ engine });
    const { backupCodes, browser, code, nextCode, wrongCode } = await enrol(test);
    const jwt = browser.cookies.get('app.sid')!;
    for (const wrong of [wrongCode(), code(), code(5), '', 'abcd-efgh-ijkl-mnop']) {
      const asking = test.client();
      asking.adoptSession(browser);
      expect(refusalOf(await asking.post(path, { code: wrong }))).toBe('MFA_INVALID_CODE');
      expect(asking.cookies.get('app.sid')).toBe(jwt);
    }
    expect((await browser.post(path, { code: backupCodes[3] })).status).toBe(200);
    expect((await browser.post(path, { code: nextCode() })).status).toBe(200);
    expect(await isValidJwt(test, jwt), 'the JWT from before, which has no fva').toBe(true);
  });

  it('logs right and wrong codes as events, without the code', async () => {
    const test = await createMfaServer({ engine });
    const { browser, nextCode, wrongCode } = await enrol(test);
    test.clock.advance(1000);
    await browser.post(path, { code: wrongCode() });
    const code = nextCode();
    await browser.post(path, { code });
    const { body, text } = await browser.get('/api/auth/events?limit=2');
    const sessionId = claimOf(browser, 'sid');
    expect(body.items).toMatchObject([
      { type: 'mfa.verified', sessionId },
      { type: 'mfa.refused', sessionId },
    ]);
    expect(text).not.toContain(`"${code}"`);
  });
});
