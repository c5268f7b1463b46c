import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, submitCode, createMfaServer, enrol, type SecondFactor } from '../../support/second-factor.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const path = '/api/auth/mfa';

/** The steps that only the owner of an account may take. Only the last two take a password, too. */
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

    it.each(['code', 'backup code'])('accepts a %s', async (kind) => {
      const test = await enrolled(engine);
      const code = kind === 'code' ? test.nextCode() : test.backupCodes[0];
      expect((await take(test.browser, { code })).status).toBe(200);
    });

    it('accepts at most one proof, and only as a string', async () => {
      const test = await enrolled(engine);
      const code = test.nextCode();
      const both = { password: ada.password, code };
      const malformed = [both, { code: [code] }, { code: Number(code) }, { code: null }, { code: { code } }];
      const others = [{ password: null }, { password: [ada.password] }, { password: ada.password, code: null }];
      for (const proof of [...malformed, ...others, { otp: code }]) {
        expect(refusalOf(await take(test.browser, proof)), JSON.stringify(proof)).toBe('VALIDATION_FAILED');
      }
      expect((await take(test.browser, both)).body.error.issues).toMatchObject([
        { path: [takesPassword(name) ? 'code' : 'password'], code: 'unrecognized_keys' },
      ]);
      const nothing = refusalOf(await take(test.browser, {}));
      expect(nothing).toBe(takesPassword(name) ? 'STEP_UP_REQUIRED' : 'VALIDATION_FAILED');
      expect((await take(test.browser, { code })).status, 'a refused request uses no code up').toBe(200);
    });

    it('accepts no password, however often, and counts none as wrong', async () => {
      const test = await enrolled(engine);
      for (let count = 0; count < 6; count += 1) {
        for (const password of [ada.password, 'wrong horse']) {
          const refused = await take(test.browser, { password });
          expect(refused.body.error).toMatchObject(
            takesPassword(name)
              ? { code: 'STEP_UP_REQUIRED', meta: { maxAge: 300, methods: ['code'] } }
              : { code: 'VALIDATION_FAILED' },
          );
        }
      }
      expect((await take(test.browser, { code: test.nextCode() })).status).toBe(200);
    });

    it('refuses a wrong code, and a code that was used', async () => {
      const test = await enrolled(engine);
      const used = test.nextCode();
      await test.browser.post(`${path}/step-up`, { code: used });
      for (const code of [used, test.wrongCode(), '１２３４５６', '', 'abcd-efgh-ijkl-mnop', '000000\0']) {
        expect(refusalOf(await take(test.browser, { code }))).toBe('MFA_INVALID_CODE');
      }
      expect((await test.browser.get(`${path}/status`)).body).toEqual({ enabled: true, backupCodesRemaining: 10 });
    });

    it('refuses every code of an account without a second factor, or with one whose setup is unfinished', async () => {
      const test = await createMfaServer({ engine, auth: createMailbox().auth });
      const browser = test.client();
      await browser.post('/api/auth/signup', ada);
      const refusal = takesPassword(name) ? 'MFA_INVALID_CODE' : 'MFA_NOT_ENABLED';
      expect(refusalOf(await take(browser, { code: '123456' }))).toBe(refusal);
      await browser.post(`${path}/setup`);
      for (let count = 1; count < 10; count += 1) {
        expect(refusalOf(await take(browser, { code: '123456' }))).toBe(refusal);
      }
      const eleventh = takesPassword(name) ? 'RATE_LIMITED' : refusal;
      expect(refusalOf(await take(browser, { code: '123456' })), 'none can be guessed').toBe(eleventh);
    });
  },
);

function takesPassword(name: string): boolean {
  return name === 'change-email' || name === 'account';
}

describe.each(engines.flatMap((engine) => ['change-email', 'account'].map((step) => [step, engine] as const)))(
  '%s on %s, without a second factor,',
  (name, engine) => {
    const take = steps[name]!;

    async function signedUp(): Promise<TestServer & { readonly browser: TestClient }> {
      const test = await createMfaServer({ engine, auth: createMailbox().auth });
      const browser = test.client();
      await browser.post('/api/auth/signup', ada);
      return { ...test, browser };
    }

    it('needs no proof until the sign-in is more than 300 s old, and then the password', async () => {
      const test = await signedUp();
      test.clock.advance(300_001);
      const refused = await take(test.browser, {});
      expect([refusalOf(refused), refused.body.error]).toMatchObject([
        'STEP_UP_REQUIRED',
        { meta: { maxAge: 300, methods: ['password'] } },
      ]);
      expect((await take(test.browser, { password: ada.password })).status).toBe(200);
    });

    it('needs no proof for 300 s', async () => {
      const test = await signedUp();
      test.clock.advance(300_000);
      expect((await take(test.browser, {})).status).toBe(200);
    });

    it('refuses a wrong password even while the sign-in is recent, ten times', async () => {
      const test = await signedUp();
      for (let count = 0; count < 10; count += 1) {
        expect(refusalOf(await take(test.browser, { password: 'wrong horse' }))).toBe('INVALID_CREDENTIALS');
      }
      expect(refusalOf(await take(test.browser, { password: ada.password }))).toBe('RATE_LIMITED');
      expect((await take(test.browser, {})).status, 'without a password, which is not needed').toBe(200);
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
      expect(refusalOf(await test.browser.post(`${path}/${step}`, { code: '123456' }))).toBe('MFA_NOT_ENABLED');
    }
    expect((await test.browser.post(`${path}/setup`)).status).toBe(200);
  });

  it('gets new backup codes, which invalidate the old ones', async () => {
    const test = await enrolled(engine);
    await submitCode(await test.challenged(), test.backupCodes[0]);
    const { body } = await test.browser.post(`${path}/backup-codes`, { code: test.nextCode() });
    expect(Object.keys(body)).toEqual(['backupCodes']);
    expect(new Set([...body.backupCodes, ...test.backupCodes]).size).toBe(20);
    expect((await test.browser.get(`${path}/status`)).body.backupCodesRemaining).toBe(10);
    expect(refusalOf(await submitCode(await test.challenged(), test.backupCodes[1]))).toBe('MFA_INVALID_CODE');
    expect((await submitCode(await test.challenged(), body.backupCodes[1])).status).toBe(200);
  });

  it('deletes an account without a password by a code, but not just because the session is recent', async () => {
    const test = await enrolled(engine);
    await test.server.stores.users.setPassword(test.userId as never, null);
    expect(refusalOf(await steps['account']!(test.browser, {}))).toBe('STEP_UP_REQUIRED');
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
  expect(refusalOf(await steps['account']!(browser, { code: test.nextCode() }))).toBe('MFA_INVALID_CODE');
});
