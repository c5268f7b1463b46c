import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, createMfaServer, enrol, type SecondFactor, submitCode } from '../../support/second-factor.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { engines, type TestServer } from '../../support/test-server.ts';

const path = '/api/auth/mfa';

const quarterHour = 15 * 60_000;

type Enrolled = TestServer & SecondFactor;

/** Every route that accepts a code. */
const routes: Record<string, (test: Enrolled, code: string) => Promise<TestResponse>> = {
  challenge: async (test, code) => submitCode(await test.challenged(), code),
  'step-up': ({ browser }, code) => browser.post(`${path}/step-up`, { code }),
  confirm: ({ browser }, code) => browser.post('/api/auth/confirm', { code }),
  disable: ({ browser }, code) => browser.post(`${path}/disable`, { code }),
  'backup-codes': ({ browser }, code) => browser.post(`${path}/backup-codes`, { code }),
  'change-email': ({ browser }, code) => browser.post('/api/auth/change-email', { email: 'new@example.com', code }),
  account: ({ browser }, code) => browser.send('/api/auth/account', { method: 'DELETE', body: { code } }),
};

async function enrolled(engine: (typeof engines)[number]): Promise<Enrolled> {
  const test = await createMfaServer({ engine, auth: createMailbox().auth });
  return { ...test, ...(await enrol(test)) };
}

/** Tries codes at challenges, as slowly as the caps of a challenge and of the account demand. */
async function tryCodes(test: Enrolled, count: number, code: () => string = test.wrongCode): Promise<TestResponse[]> {
  const responses: TestResponse[] = [];
  let browser = await test.challenged();
  for (let index = 0; index < count; index += 1) {
    if (index % 10 === 0) test.clock.advance(quarterHour);
    if (index % 5 === 0) browser = await test.challenged();
    responses.push(await submitCode(browser, code()));
  }
  test.clock.advance(quarterHour);
  return responses;
}

/** Counts wrong codes without asking for any. */
async function countWrongCodes({ server, userId }: Enrolled, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await server.stores.mfa.countWrongCode(userId as UserId);
}

/** The refusals of a wrong code, and of any code while it is locked. */
const [open, locked] = ['MFA_INVALID_CODE', 'MFA_INVALID_CODE {"locked":true}'];

/** Returns the code of a refusal, and the details beside it. */
function refusedWith(response: TestResponse): string {
  const { meta } = response.body.error as { meta?: object };
  return refusalOf(response) + (meta === undefined ? '' : ` ${JSON.stringify(meta)}`);
}

async function countEvents({ server, userId }: Enrolled, type: string): Promise<number> {
  const { items } = await server.stores.events.listByUser(userId as UserId, { limit: 1000, after: null });
  return items.filter((event) => event.type === type).length;
}

async function countedCodes({ server, userId }: Enrolled): Promise<number | undefined> {
  return (await server.stores.mfa.find(userId as UserId))?.wrongCodes;
}

/** A browser with the same cookies, which another tab could be. */
function copyOf(browser: TestClient, test: TestServer): TestClient {
  const copy = test.client();
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

describe.each(engines)('an authenticator app on %s', (engine) => {
  it('is locked by 100 wrong codes in a row, however slowly, and then refuses right ones, too', async () => {
    const test = await enrolled(engine);
    const locks = (await tryCodes(test, 100)).map(refusedWith);
    expect(new Set(locks.slice(0, 99))).toEqual(new Set([open]));
    expect(locks[99]).toBe(locked);
    for (let day = 0; day < 2; day += 1) {
      expect(refusedWith(await submitCode(await test.challenged(), test.nextCode()))).toBe(locked);
      expect(refusedWith(await submitCode(await test.challenged(), test.wrongCode()))).toBe(locked);
      test.clock.advance(86_400_000);
    }
    expect(await countEvents(test, 'mfa.locked')).toBe(1);
    expect(await countEvents(test, 'mfa.refused')).toBe(104);
  });

  it('is not locked while fewer codes in a row are wrong', async () => {
    const test = await enrolled(engine);
    for (let round = 0; round < 2; round += 1) {
      const locks = (await tryCodes(test, 99)).map(refusedWith);
      expect(new Set(locks)).toEqual(new Set([open]));
      expect((await submitCode(await test.challenged(), test.nextCode())).status).toBe(200);
      expect(await countedCodes(test)).toBe(0);
    }
    expect(await countEvents(test, 'mfa.locked')).toBe(0);
  });

  it('is locked by wrong codes of its own form only', async () => {
    const test = await enrolled(engine);
    for (const text of ['abcd-efgh-ijkl-mnop', 'abcd-efgh-ijkl-mno', '12345', '１２３４５６', '']) {
      expect(refusedWith(await submitCode(await test.challenged(), text))).toBe(open);
    }
    expect(await countedCodes(test)).toBe(0);
    const digits = test.wrongCode();
    await submitCode(await test.challenged(), `${digits.slice(0, 3)} ${digits.slice(3)}`);
    expect(await countedCodes(test)).toBe(1);
  });

  it('stays behind the cap of its account, whether it is locked or not', async () => {
    const test = await enrolled(engine);
    await countWrongCodes(test, 95);
    for (let count = 0; count < 10; count += 1) {
      const response = await submitCode(await test.challenged(), test.wrongCode());
      expect(refusedWith(response)).toBe(count < 4 ? open : locked);
    }
    expect(refusalOf(await submitCode(await test.challenged(), test.nextCode()))).toBe('RATE_LIMITED');
    expect(refusalOf(await submitCode(await test.challenged(), test.backupCodes[0]))).toBe('RATE_LIMITED');
  });

  it.each(Object.keys(routes))('is locked at %s, where only a backup code is right', async (name) => {
    const test = await enrolled(engine);
    const send = routes[name]!;
    await countWrongCodes(test, 100);
    for (const code of [test.nextCode(), test.wrongCode(), 'abcd-efgh-ijkl-mnop']) {
      expect(refusedWith(await send(test, code))).toBe(locked);
    }
    expect((await send(test, test.backupCodes[0]!)).status).toBe(200);
    // Some of them removed the factor.
    expect(await countedCodes(test)).toBe(name === 'disable' || name === 'account' ? undefined : 0);
  });

  it('is open again after a backup code, until as many codes are wrong once more', async () => {
    const test = await enrolled(engine);
    const stepUp = (code: string): Promise<TestResponse> => test.browser.post(`${path}/step-up`, { code });
    await countWrongCodes(test, 100);
    expect((await stepUp(test.backupCodes[0]!)).status).toBe(200);
    expect((await stepUp(test.nextCode())).status).toBe(200);
    await countWrongCodes(test, 98);
    expect(refusedWith(await stepUp(test.wrongCode()))).toBe(open);
    expect(refusedWith(await stepUp(test.wrongCode()))).toBe(locked);
    expect(await countEvents(test, 'mfa.locked')).toBe(1);
  });

  it('is removed by an operator, so that its owner can sign in and set up another one', async () => {
    const test = await enrolled(engine);
    await countWrongCodes(test, 100);
    const { admin } = test.server.auth;
    expect(await admin.removeMfa(test.userId, { actor: 'grace' })).toMatchObject({
      ok: true,
      value: { id: test.userId },
    });
    expect(await countEvents(test, 'mfa.disabled')).toBe(1);
    const browser = test.client();
    expect((await browser.post('/api/auth/signin', ada)).status).toBe(200);
    expect((await browser.get(`${path}/status`)).body).toEqual({ enabled: false, backupCodesRemaining: 0 });
    expect((await browser.post(`${path}/setup`)).status).toBe(200);
  });

  it('is not removed by an operator if there is none, or no such user', async () => {
    const test = await createMfaServer({ engine });
    const { admin } = test.server.auth;
    const browser = test.client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    await browser.post(`${path}/setup`);
    expect(await admin.removeMfa(id)).toMatchObject({ ok: false, error: { code: 'MFA_NOT_ENABLED' } });
    expect(await admin.removeMfa('nobody')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(await test.server.stores.mfa.findPending(id as UserId)).not.toBeNull();
  });
});

describe.each(allEngines)('an authenticator app that four servers on %s ask at once', (engine) => {
  async function openServers(): Promise<readonly [Enrolled, ...TestServer[]]> {
    const database = await createDatabase(engine);
    const servers = await Promise.all(Array.from({ length: 4 }, () => createMfaServer({ database })));
    return [{ ...servers[0]!, ...(await enrol(servers[0]!)) }, ...servers.slice(1)];
  }

  it('is locked once by concurrent wrong codes, and accepts none afterwards', async () => {
    const servers = await openServers();
    const [test] = servers;
    await countWrongCodes(test, 95);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        copyOf(test.browser, servers[index % 4]!).post(`${path}/step-up`, { code: test.wrongCode() }),
      ),
    );
    expect(responses.map(refusedWith).filter((lock) => lock === locked)).toHaveLength(6);
    expect(await countEvents(test, 'mfa.locked')).toBe(1);
    test.clock.advance(quarterHour);
    const code = test.nextCode();
    const right = await Promise.all(
      servers.map((server) => copyOf(test.browser, server).post(`${path}/step-up`, { code })),
    );
    expect(right.map(refusedWith)).toEqual([locked, locked, locked, locked]);
  });

  it('accepts a right code among concurrent wrong ones only before it is locked', async () => {
    const servers = await openServers();
    const [test] = servers;
    let locks = 0;
    for (let round = 0; round < 6; round += 1) {
      await countWrongCodes(test, 98);
      const code = test.nextCode();
      const codes = [test.wrongCode(), test.wrongCode(), code, test.wrongCode()];
      const responses = await Promise.all(
        codes.map((each, index) => copyOf(test.browser, servers[index]!).post(`${path}/step-up`, { code: each })),
      );
      const isLocked = (await countedCodes(test))! >= 100;
      expect(responses[2]!.status).toBe(isLocked ? 400 : 200);
      if (isLocked) locks += 1;
      expect(await countEvents(test, 'mfa.locked')).toBe(locks);
      // Opens it for the next round.
      test.clock.advance(quarterHour);
      const opened = await test.browser.post(`${path}/step-up`, { code: test.backupCodes[round] });
      expect(opened.status).toBe(200);
    }
  });
});
