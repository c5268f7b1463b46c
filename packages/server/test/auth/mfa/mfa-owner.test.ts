import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, submitCode, createMfaServer, enrol, type SecondFactor } from '../../support/second-factor.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const path = '/api/auth/mfa';

/** What only the owner of an account may do, with a password or a code. */
const steps: Record<string, (browser: TestClient, proof: object) => Promise<TestResponse>> = {
  disable: (browser, proof) => browser.post(`${path}/disable`, proof),
  'backup-codes': (browser, proof) => browser.post(`${path}/backup-codes`, proof),
  'change-email': (browser, proof) => browser.post('/api/auth/change-email', { email: 'new@example.com', ...proof }),
  account: (browser, proof) => browser.send('/api/auth/account', { method: 'DELETE', body: proof }),
};

async function enrolled(engine: (typeof engines)[number] = 'memory'): Promise<TestServer & SecondFactor> {
  const test = await createMfaServer({ engine, auth: createMailbox().auth });
  return { ...test, ...(await enrol(test)) };
}

describe.each(engines.flatMap((engine) => Object.keys(steps).map((step) => [step, engine] as const)))(
  '%s on %s',
  (name, engine) => {
    const take = steps[name]!;

    it.each(['password', 'code', 'backup code'])('accepts a %s', async (kind) => {
      const test = await enrolled(engine);
      const code = kind === 'code' ? test.nextCode() : test.backupCodes[0];
      const proof = kind === 'password' ? { password: ada.password } : { code };
      expect((await take(test.browser, proof)).status).toBe(200);
    });

    it('accepts exactly one proof, and only as a string', async () => {
      const test = await enrolled(engine);
      const code = test.nextCode();
      const both = { password: ada.password, code };
      const malformed = [both, { code: [code] }, { code: Number(code) }, { code: null }, { code: { code } }];
      const others = [{ password: null }, { password: [ada.password] }, { password: ada.password, code: null }];
      for (const proof of [...malformed, ...others, { otp: code }]) {
        expect(refusalOf(await take(test.browser, proof)), JSON.stringify(proof)).toBe('VALIDATION_FAILED');
      }
      expect((await take(test.browser, both)).body.error.issues).toMatchObject([
        { path: ['code'], code: 'unrecognized_keys' },
      ]);
      const nothing = refusalOf(await take(test.browser, {}));
      expect(nothing).toBe(name === 'account' ? 'INVALID_CREDENTIALS' : 'VALIDATION_FAILED');
      expect((await take(test.browser, { code })).status, 'what was refused used nothing up').toBe(200);
    });

    it('refuses a wrong code like a wrong password, and a code that was used', async () => {
      const test = await enrolled(engine);
      const used = test.nextCode();
      await test.browser.post(`${path}/step-up`, { code: used });
      for (const code of [used, test.wrongCode(), '１２３４５６', '', 'abcd-efgh-ijkl-mnop', '000000\0']) {
        expect(refusalOf(await take(test.browser, { code }))).toBe('INVALID_CREDENTIALS');
      }
      expect(refusalOf(await take(test.browser, { password: 'wrong horse' }))).toBe('INVALID_CREDENTIALS');
      expect(refusalOf(await take(test.browser, { password: test.code() }))).toBe('INVALID_CREDENTIALS');
      expect((await test.browser.get(`${path}/status`)).body).toEqual({ enabled: true, backupCodesRemaining: 10 });
    });

    it('refuses every code of an account without a second factor, or with one whose setup is unfinished', async () => {
      const test = await createMfaServer({ engine, auth: createMailbox().auth });
      const browser = test.client();
      await browser.post('/api/auth/signup', ada);
      expect(refusalOf(await take(browser, { code: '123456' }))).toBe('INVALID_CREDENTIALS');
      await browser.post(`${path}/setup`);
      for (let count = 1; count < 10; count += 1) {
        expect(refusalOf(await take(browser, { code: '123456' }))).toBe('INVALID_CREDENTIALS');
      }
      expect(refusalOf(await take(browser, { code: '123456' })), 'and no more than ten').toBe('RATE_LIMITED');
    });
  },
);

describe.each(engines)('the owner of an account on %s', (engine) => {
  it('turns off the second factor together with its backup codes, and can set up another one', async () => {
    const test = await enrolled(engine);
    const challenged = await test.challenged();
    expect((await test.browser.post(`${path}/disable`, { code: test.nextCode() })).text).toBe('{"ok":true}');
    expect((await test.browser.get(`${path}/status`)).body).toEqual({ enabled: false, backupCodesRemaining: 0 });
    expect(refusalOf(await submitCode(challenged, test.backupCodes[0]))).toBe('SESSION_EXPIRED');
    expect((await test.client().post('/api/auth/signin', ada)).status).toBe(200);
    for (const step of ['disable', 'backup-codes']) {
      expect(refusalOf(await test.browser.post(`${path}/${step}`, ada))).toBe('VALIDATION_FAILED');
      const proof = { password: ada.password };
      expect(refusalOf(await test.browser.post(`${path}/${step}`, proof))).toBe('MFA_NOT_ENABLED');
    }
    expect((await test.browser.post(`${path}/setup`)).status).toBe(200);
  });

  it('gets new backup codes, which invalidate the old ones', async () => {
    const test = await enrolled(engine);
    await submitCode(await test.challenged(), test.backupCodes[0]);
    const { body } = await test.browser.post(`${path}/backup-codes`, { password: ada.password });
    expect(Object.keys(body)).toEqual(['backupCodes']);
    expect(new Set([...body.backupCodes, ...test.backupCodes]).size).toBe(20);
    expect((await test.browser.get(`${path}/status`)).body.backupCodesRemaining).toBe(10);
    expect(refusalOf(await submitCode(await test.challenged(), test.backupCodes[1]))).toBe('MFA_INVALID_CODE');
    expect((await submitCode(await test.challenged(), body.backupCodes[1])).status).toBe(200);
  });

  it('deletes an account without a password by a code, but not just because the session is recent', async () => {
    const test = await enrolled(engine);
    await test.server.stores.users.setPassword(test.userId as never, null);
    expect(refusalOf(await steps['account']!(test.browser, {}))).toBe('INVALID_CREDENTIALS');
    expect((await steps['account']!(test.browser, { code: test.nextCode() })).status).toBe(200);
    expect(await test.server.stores.users.findByLoginEmail(ada.email)).toBeNull();
    expect(await test.server.stores.mfa.find(test.userId as never)).toBeNull();
  });

  it('can use a code again if the app refused the deletion', async () => {
    const beforeUserDelete = (): never => {
      throw new RangeError('no');
    };
    const test = await createMfaServer({ engine, auth: { beforeUserDelete } });
    const { browser, nextCode } = await enrol(test);
    const code = nextCode();
    expect(refusalOf(await steps['account']!(browser, { code }))).toBe('INTERNAL_ERROR');
    expect((await browser.post(`${path}/step-up`, { code })).status).toBe(200);
  });
});

it('refuses every code if the app has turned second factors off', async () => {
  const test = await enrolled();
  const { client } = await createTestServer({ database: { clock: test.clock, open: () => test.server.stores } });
  const browser = client();
  expect((await browser.post('/api/auth/signin', ada)).status).toBe(200);
  expect(refusalOf(await steps['account']!(browser, { code: test.nextCode() }))).toBe('INVALID_CREDENTIALS');
});
