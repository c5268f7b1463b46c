import { CodedError } from '@x/errors';
import type { EventRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, submitCode, createMfaServer, enrol, type SecondFactor } from '../../support/second-factor.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestDatabase, engines, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const minute = 60_000;

/** Every route for a signed-in user that a code or a password can be guessed at, with its error for a wrong one. */
const paths: Record<string, { refusal: string; send: (browser: TestClient, code: string) => Promise<TestResponse> }> = {
  'step-up': { refusal: 'MFA_INVALID_CODE', send: (browser, code) => browser.post('/api/auth/mfa/step-up', { code }) },
  disable: { refusal: 'MFA_INVALID_CODE', send: (browser, code) => browser.post('/api/auth/mfa/disable', { code }) },
  'backup-codes': {
    refusal: 'MFA_INVALID_CODE',
    send: (browser, code) => browser.post('/api/auth/mfa/backup-codes', { code }),
  },
  'change-email': {
    refusal: 'MFA_INVALID_CODE',
    send: (browser, code) => browser.post('/api/auth/change-email', { email: 'new@example.com', code }),
  },
  confirm: { refusal: 'MFA_INVALID_CODE', send: (browser, code) => browser.post('/api/auth/confirm', { code }) },
  'change-password': {
    refusal: 'INVALID_CREDENTIALS',
    send: (browser, code) =>
      browser.post('/api/auth/change-password', { currentPassword: code, newPassword: 'another horse battery' }),
  },
  account: {
    refusal: 'MFA_INVALID_CODE',
    send: (browser, code) => browser.send('/api/auth/account', { method: 'DELETE', body: { code } }),
  },
};

async function enrolled(engine: (typeof engines)[number]): Promise<TestServer & SecondFactor> {
  const test = await createMfaServer({ engine, auth: createMailbox().auth });
  return { ...test, ...(await enrol(test)) };
}

describe.each(engines)('codes on %s', (engine) => {
  it.each(['challenge', 'step-up'])(
    'may be tried 5 times by one network in 15 minutes at %s, correct ones included',
    async (route) => {
      const test = await enrolled(engine);
      const browser = test.client('192.0.2.7');
      const send = async (code: string): Promise<TestResponse> => {
        if (route === 'step-up') browser.adoptSession(test.browser);
        else browser.cookies.set('app.mfa', (await test.challenged()).cookies.get('app.mfa')!);
        return browser.post(`/api/auth/mfa/${route}`, { code });
      };
      const startsAt = test.clock.now().getTime();
      for (const isRight of [true, false, true, false, false]) {
        const sent = await send(isRight ? test.nextCode() : test.wrongCode());
        expect(sent.status).toBe(isRight ? 200 : 400);
      }
      const refused = await send(test.nextCode());
      expect(refusalOf(refused)).toBe('RATE_LIMITED');
      expect(refused.headers.getSetCookie()).toEqual([]);
      const left = startsAt + 30_000 + 15 * minute - test.clock.now().getTime();
      expect(Number(refused.headers.get('retry-after'))).toBe(left / 1000);
      test.clock.advance(left - 1);
      expect(refusalOf(await send(test.code()))).toBe('RATE_LIMITED');
      test.clock.advance(1);
      expect((await send(test.code(1))).status).toBe(200);
    },
  );

  it('are counted separately for step-up and challenge', async () => {
    const test = await enrolled(engine);
    const browser = test.client('192.0.2.7');
    browser.adoptSession(test.browser);
    browser.cookies.set('app.mfa', (await test.challenged()).cookies.get('app.mfa')!);
    for (let count = 0; count < 5; count += 1) await browser.post('/api/auth/mfa/step-up', { code: 'wrong' });
    expect(refusalOf(await browser.post('/api/auth/mfa/step-up', { code: 'wrong' }))).toBe('RATE_LIMITED');
    expect((await submitCode(browser, test.nextCode())).status).toBe(200);
  });

  it('end a challenge after 5 wrong ones, wherever they come from', async () => {
    const test = await enrolled(engine);
    const challenge = (await test.challenged()).cookies.get('app.mfa')!;
    const browsers = Array.from({ length: 6 }, () => test.client());
    for (const browser of browsers) browser.cookies.set('app.mfa', challenge);
    for (const browser of browsers.slice(1)) {
      expect(refusalOf(await submitCode(browser, test.wrongCode()))).toBe('MFA_INVALID_CODE');
    }
    expect(refusalOf(await submitCode(browsers[0]!, test.nextCode()))).toBe('SESSION_EXPIRED');
    expect((await submitCode(await test.challenged(), test.nextCode())).status).toBe(200);
  });

  it('may be wrong 10 times in 15 minutes for one account, over all routes together', async () => {
    const test = await enrolled(engine);
    const startsAt = test.clock.now().getTime();
    const asking = Object.values(paths);
    for (let count = 0; count < 8; count += 1) {
      const { refusal, send } = asking[count % asking.length]!;
      const browser = test.client();
      browser.adoptSession(test.browser);
      expect(refusalOf(await send(browser, test.wrongCode()))).toBe(refusal);
    }
    for (let count = 0; count < 2; count += 1) {
      expect(refusalOf(await submitCode(await test.challenged(), 'no-such-code'))).toBe('MFA_INVALID_CODE');
    }
    for (const [name, { send }] of Object.entries(paths)) {
      const browser = test.client();
      browser.adoptSession(test.browser);
      const refused = await send(browser, test.nextCode());
      expect(refusalOf(refused), name).toBe('RATE_LIMITED');
      expect(Number(refused.headers.get('retry-after'))).toBe(
        (startsAt + 15 * minute - test.clock.now().getTime()) / 1000,
      );
    }
    expect(refusalOf(await submitCode(await test.challenged(), test.nextCode()))).toBe('RATE_LIMITED');
    expect(refusalOf(await submitCode(await test.challenged(), test.backupCodes[0]))).toBe('RATE_LIMITED');
    test.clock.advance(startsAt + 15 * minute - test.clock.now().getTime());
    expect((await submitCode(await test.challenged(), test.code())).status).toBe(200);
  });

  it('do not count against the account if they are right', async () => {
    const test = await enrolled(engine);
    for (let count = 0; count < 9; count += 1) await submitCode(await test.challenged(), test.wrongCode());
    for (let count = 0; count < 12; count += 1) {
      expect((await submitCode(await test.challenged(), test.nextCode())).status).toBe(200);
    }
    expect(refusalOf(await submitCode(await test.challenged(), test.wrongCode()))).toBe('MFA_INVALID_CODE');
    expect(refusalOf(await submitCode(await test.challenged(), test.nextCode()))).toBe('RATE_LIMITED');
  });

  it('do not count against the account if they are right, and the app refuses or fails', async () => {
    let [refuses, fails] = [true, false];
    const auth: TestServerOptions['auth'] = {
      ...createMailbox().auth,
      beforeSignIn: () => {
        if (refuses) throw new CodedError('FORBIDDEN', 'Not now.');
      },
      beforeUserDelete: () => {
        throw new CodedError('CONFLICT', 'Not yet.');
      },
      claims: () => {
        if (fails) throw new Error('the app fails');
        return {};
      },
    };
    const test = await createMfaServer({ engine, auth, logger: false });
    const user = await enrol(test);
    for (let count = 0; count < 11; count += 1) {
      expect(refusalOf(await submitCode(await user.challenged(), user.nextCode()))).toBe('FORBIDDEN');
    }
    refuses = false;
    const send = async (route: keyof typeof paths): Promise<string> => {
      const browser = test.client();
      browser.adoptSession(user.browser);
      return refusalOf(await paths[route]!.send(browser, user.nextCode()));
    };
    for (let count = 0; count < 11; count += 1) expect(await send('account')).toBe('CONFLICT');
    fails = true;
    for (let count = 0; count < 11; count += 1) expect(await send('step-up')).toBe('INTERNAL_ERROR');
    fails = false;
    expect((await submitCode(await user.challenged(), user.nextCode())).status).toBe(200);
  });

  it('do not count if they are malformed or belong to another account', async () => {
    const test = await enrolled(engine);
    const other = await enrol(test, { ...ada, email: 'eve@example.com' });
    for (let count = 0; count < 12; count += 1) {
      await submitCode(await test.challenged(), [test.wrongCode()]);
      await submitCode(await other.challenged(), other.wrongCode());
      await test.client().post('/api/auth/mfa/challenge', { code: test.wrongCode() });
    }
    expect((await submitCode(await test.challenged(), test.nextCode())).status).toBe(200);
  });
});

it('checks ten of 60 concurrent wrong codes through four servers on one file, and logs one refusal', async () => {
  const database = createTestDatabase('sqlite');
  const published: EventRecord[] = [];
  const auth = { onEvent: (event: EventRecord) => void published.push(event) };
  const servers = await Promise.all(Array.from({ length: 4 }, () => createMfaServer({ database, auth })));
  const { browser, wrongCode } = await enrol(servers[0]!);
  const responses = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const asking = servers[index % 4]!.client();
      asking.adoptSession(browser);
      return asking.post('/api/auth/mfa/step-up', { code: wrongCode() });
    }),
  );
  const refusals = responses.map(refusalOf);
  expect(refusals.filter((refusal) => refusal === 'MFA_INVALID_CODE')).toHaveLength(10);
  expect(refusals.filter((refusal) => refusal === 'RATE_LIMITED')).toHaveLength(50);
  for (const { server } of servers) await server.auth.drain();
  const types = published.map(({ type }) => type);
  expect(types.filter((type) => type === 'rate_limit.reached')).toHaveLength(1);
  expect(types.filter((type) => type === 'mfa.refused')).toHaveLength(10);
});
