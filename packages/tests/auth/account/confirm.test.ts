import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, claimOf, createMfaServer, enrol } from '../../support/second-factor.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { engines, type TestServer } from '../../support/test-server.ts';

const minute = 60_000;

function confirm(browser: TestClient, proof: unknown): Promise<TestResponse> {
  return browser.post('/api/auth/confirm', proof);
}

/** Something that takes a fresh proof and can be repeated. */
function setUp(browser: TestClient): Promise<TestResponse> {
  return browser.post('/api/auth/mfa/setup');
}

async function signedUp(engine: (typeof engines)[number]): Promise<TestServer & { readonly browser: TestClient }> {
  const test = await createMfaServer({ engine });
  const browser = test.client();
  await browser.post('/api/auth/signup', ada);
  return { ...test, browser };
}

describe.each(engines)('POST /api/auth/confirm on %s', (engine) => {
  it('lets a session change credentials for 300 s, and sends no cookie', async () => {
    const { browser, clock } = await signedUp(engine);
    clock.advance(6 * minute);
    expect(refusalOf(await setUp(browser))).toBe('STEP_UP_REQUIRED');
    const confirmed = await confirm(browser, { password: ada.password });
    const until = new Date(clock.now().getTime() + 300_000);
    expect([confirmed.status, confirmed.body, confirmed.headers.getSetCookie()]).toEqual([
      200,
      { ok: true, confirmedUntil: until.toISOString() },
      [],
    ]);
    clock.advance(300_000);
    expect((await setUp(browser)).status).toBe(200);
    clock.advance(1);
    expect(refusalOf(await setUp(browser))).toBe('STEP_UP_REQUIRED');
  });

  it('concerns its own session alone, and shows in its next JWT as auth_time', async () => {
    const { browser, client, clock } = await signedUp(engine);
    const other = client();
    await other.post('/api/auth/signin', ada);
    expect(claimOf(browser, 'auth_time')).toBe(Math.floor(clock.now().getTime() / 1000));
    clock.advance(6 * minute);
    await confirm(browser, { password: ada.password });
    expect(refusalOf(await setUp(other))).toBe('STEP_UP_REQUIRED');
    const proven = Math.floor(clock.now().getTime() / 1000);
    clock.advance(minute);
    await browser.post('/api/auth/refresh');
    await other.post('/api/auth/refresh');
    expect([claimOf(browser, 'auth_time'), claimOf(other, 'auth_time')]).toEqual([proven, proven - 360]);
  });

  it('takes a code where a second factor is on, which sets no fva, and no password', async () => {
    const test = await createMfaServer({ engine });
    const { browser, nextCode } = await enrol(test);
    for (const password of [ada.password, 'wrong horse battery']) {
      const refused = await confirm(browser, { password });
      expect(refused.body.error).toMatchObject({ code: 'STEP_UP_REQUIRED', meta: { maxAge: 300, methods: ['code'] } });
    }
    expect((await confirm(browser, { code: nextCode() })).status).toBe(200);
    expect(refusalOf(await setUp(browser)), 'and so a fresh proof').toBe('MFA_ALREADY_ENABLED');
    await browser.post('/api/auth/refresh');
    expect(claimOf(browser, 'fva')).toBeUndefined();
    expect(refusalOf(await confirm(browser, { password: ada.password })), 'fresh or not').toBe('STEP_UP_REQUIRED');
    expect(refusalOf(await setUp(browser)), 'which takes no proof back').toBe('MFA_ALREADY_ENABLED');
  });

  it('takes exactly one proof, and only as a string', async () => {
    const { browser } = await signedUp(engine);
    for (const proof of [
      ...[{}, [], 'x', { password: ada.password, code: '123456' }, { password: null }, { code: 123456 }],
      ...[{ password: [ada.password] }, { otp: '123456' }, { password: ada.password, userId: 'x' }],
    ]) {
      expect(refusalOf(await confirm(browser, proof)), JSON.stringify(proof)).toBe('VALIDATION_FAILED');
    }
    expect((await confirm(browser, { password: ada.password })).status).toBe(200);
  });

  it('refuses a wrong password or code, and logs it', async () => {
    const { browser } = await signedUp(engine);
    expect(refusalOf(await confirm(browser, { password: 'wrong horse battery' }))).toBe('INVALID_CREDENTIALS');
    expect(refusalOf(await confirm(browser, { code: '123456' }))).toBe('MFA_INVALID_CODE');
    await confirm(browser, { password: ada.password });
    const types = (await browser.get('/api/auth/events')).body.items.map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['mfa.refused', 'password.refused', 'session.confirmed', 'user.created']));
  });

  it('is limited to 10 in 15 minutes for a user, right or wrong', async () => {
    const { browser, client, clock } = await signedUp(engine);
    const other = client();
    await other.post('/api/auth/signin', ada);
    for (let count = 0; count < 10; count += 1) {
      expect((await confirm(count % 2 ? browser : other, { password: ada.password })).status).toBe(200);
    }
    for (const each of [browser, other]) {
      expect(refusalOf(await confirm(each, { password: ada.password }))).toBe('RATE_LIMITED');
    }
    clock.advance(15 * minute);
    expect((await confirm(browser, { password: ada.password })).status).toBe(200);
  });
});
