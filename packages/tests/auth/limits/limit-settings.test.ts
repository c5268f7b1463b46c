import { type AuthOptions, createScryptHasher, type LimitStore } from '@x/auth';
import { CodedError } from '@x/errors';
import type { EventRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, createMfaServer, enrol, submitCode } from '../../support/second-factor.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';

type Limits = NonNullable<AuthOptions['limits']>;

const [minute, hour] = [60_000, 3_600_000];
const office = '192.0.2.1';
const grace = { email: 'grace@example.com', password: 'correct horse battery' };

describe.each(allEngines)('limits.refresh on %s', (engine) => {
  const start = async (refresh: Limits['refresh']): Promise<TestServer> =>
    createTestServer({ database: await createDatabase(engine), auth: { limits: { ...(refresh && { refresh }) } } });

  it('counts each session by itself, so that people behind one address do not refuse each other', async () => {
    const test = await start({ per: 'session', max: 2 });
    const [one, other] = [await signUp(test, ada), await signUp(test, grace)];
    for (const browser of [one, other]) expect(await refreshes(browser, 3)).toEqual([200, 200, 'RATE_LIMITED']);
    test.clock.advance(minute);
    expect(await refreshes(one, 3)).toEqual([200, 200, 'RATE_LIMITED']);
  });

  it('counts all sessions of a user together', async () => {
    const test = await start({ per: 'user', max: 3 });
    const [laptop, stranger] = [await signUp(test, ada), await signUp(test, grace)];
    const phone = test.client('198.51.100.7');
    await phone.post('/api/auth/signin', ada);
    expect(await refreshes(laptop, 2)).toEqual([200, 200]);
    expect(await refreshes(phone, 2)).toEqual([200, 'RATE_LIMITED']);
    expect(await refreshes(laptop, 1)).toEqual(['RATE_LIMITED']);
    expect(await refreshes(stranger, 1)).toEqual([200]);
  });

  it('counts only refreshes that fail', async () => {
    const test = await start({ count: 'failures', max: 2 });
    const [browser, ended] = [await signUp(test, ada), await signUp(test, grace)];
    expect(await refreshes(browser, 5)).toEqual([200, 200, 200, 200, 200]);
    const thief = test.client(office);
    thief.adoptSession(ended);
    await ended.post('/api/auth/signout');
    for (const outcome of ['SESSION_EXPIRED', 'SESSION_EXPIRED', 'RATE_LIMITED']) {
      const again = test.client(office);
      again.adoptSession(thief);
      expect(await refreshes(again, 1)).toEqual([outcome]);
    }
    // Those who are signed in are not among the failures.
    expect(await refreshes(browser, 2)).toEqual([200, 200]);
    test.clock.advance(minute);
    expect(await refreshes(thief, 1)).toEqual(['SESSION_EXPIRED']);
  });

  it.each<NonNullable<Limits['refresh']>>([{ per: 'session' }, { per: 'user' }, { count: 'failures' }])(
    'counts strangers per network with the same numbers, apart from members, with %j',
    async (refresh) => {
      const test = await start({ ...refresh, max: 2 });
      const browser = await signUp(test, ada);
      expect(await refreshes(test.client(office), 3)).toEqual(['SESSION_EXPIRED', 'SESSION_EXPIRED', 'RATE_LIMITED']);
      expect(await refreshes(browser, 2)).toEqual([200, 200]);
      expect(await refreshes(test.client('198.51.100.7'), 1)).toEqual(['SESSION_EXPIRED']);
    },
  );
});

describe.each(engines)('limits on %s', (engine) => {
  it('of sign-ins may count wrong passwords only', async () => {
    const auth = { emailPassword: { rateLimit: {} }, limits: { signin: { max: 2, count: 'failures' } } } as const;
    const test = await createTestServer({ engine, auth });
    const browser = await signUp(test, ada);
    const signIn = (password: string): Promise<unknown> =>
      outcomeOf(browser.post('/api/auth/signin', { ...ada, password }));
    for (let count = 0; count < 5; count += 1) expect(await signIn(ada.password)).toBe(200);
    expect([await signIn('wrong'), await signIn(ada.password), await signIn('wrong')]).toEqual([
      'INVALID_CREDENTIALS',
      200,
      'INVALID_CREDENTIALS',
    ]);
    expect(await signIn(ada.password)).toBe('RATE_LIMITED');
    test.clock.advance(15 * minute);
    expect(await signIn(ada.password)).toBe(200);
  });

  it('of wrong passwords leave out a right one that the app refuses', async () => {
    let refuses = true;
    const beforeSignIn = (): void => {
      if (refuses) throw new CodedError('FORBIDDEN', 'Not now.', { reason: 'closed' });
    };
    const auth = {
      emailPassword: { rateLimit: {} },
      limits: { signin: { max: 2, count: 'failures' } },
      beforeSignIn,
    } as const;
    const test = await createTestServer({ engine, auth });
    const browser = await signUp(test, ada);
    const signIn = (): Promise<unknown> => outcomeOf(browser.post('/api/auth/signin', ada));
    for (let count = 0; count < 4; count += 1) expect(await signIn()).toBe('FORBIDDEN');
    refuses = false;
    expect(await signIn()).toBe(200);
  });

  it('of wrong passwords leave out those that could not be verified', async () => {
    let isBusy = false;
    const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
    const auth = {
      emailPassword: { rateLimit: {} },
      limits: { signin: { max: 2, count: 'failures' } },
      passwordHasher: {
        ...hasher,
        async verify(hash: string, password: string) {
          if (isBusy) throw new CodedError('SERVICE_UNAVAILABLE', 'Too busy.');
          return hasher.verify(hash, password);
        },
      },
    } as const;
    const test = await createTestServer({ engine, auth, logger: false });
    const browser = await signUp(test, ada);
    const signIn = (): Promise<unknown> => outcomeOf(browser.post('/api/auth/signin', ada));
    isBusy = true;
    for (let count = 0; count < 4; count += 1) expect(await signIn()).toBe('SERVICE_UNAVAILABLE');
    isBusy = false;
    expect(await signIn()).toBe(200);
  });

  it('of codes may be per user, so that people behind one address do not refuse each other', async () => {
    const limits = { mfaChallenge: { per: 'user', max: 1 }, mfaStepUp: { per: 'user', max: 1 } } as const;
    const test = await createMfaServer({ engine, auth: { limits } });
    const people = [await enrol(test, ada), await enrol(test, grace)];
    for (const outcome of [400, 'RATE_LIMITED']) {
      for (const each of people) {
        const browser = test.client(office);
        browser.cookies.set('app.mfa', (await each.challenged()).cookies.get('app.mfa')!);
        expect(await outcomeOf(submitCode(browser, each.wrongCode()))).toBe(outcome === 400 ? wrongCode : outcome);
        const steppingUp = each.browser.post('/api/auth/mfa/step-up', { code: each.wrongCode() });
        expect(await outcomeOf(steppingUp)).toBe(outcome === 400 ? wrongCode : outcome);
      }
    }
  });

  it('of codes may be per session, and count wrong ones only', async () => {
    const limits = {
      mfaChallenge: { count: 'failures', max: 1 },
      mfaStepUp: { per: 'session', count: 'failures', max: 1 },
    };
    const test = await createMfaServer({ engine, auth: { limits: limits as Limits } });
    const { browser, challenged, nextCode, wrongCode: wrong } = await enrol(test);
    const other = test.client(office);
    for (let count = 0; count < 3; count += 1) {
      other.cookies.set('app.mfa', (await challenged()).cookies.get('app.mfa')!);
      expect(await outcomeOf(submitCode(other, nextCode()))).toBe(200);
      expect(await outcomeOf(browser.post('/api/auth/mfa/step-up', { code: nextCode() }))).toBe(200);
    }
    for (const outcome of [wrongCode, 'RATE_LIMITED']) {
      expect(await outcomeOf(browser.post('/api/auth/mfa/step-up', { code: wrong() }))).toBe(outcome);
    }
    expect(await outcomeOf(other.post('/api/auth/mfa/step-up', { code: nextCode() }))).toBe(200);
    other.cookies.set('app.mfa', (await challenged()).cookies.get('app.mfa')!);
    for (const outcome of [wrongCode, 'RATE_LIMITED']) {
      expect(await outcomeOf(submitCode(other, wrong()))).toBe(outcome);
    }
  });

  it('are counted by the store of the app, if they count every attempt', async () => {
    const counted: unknown[] = [];
    const windows = new Map<string, number>();
    const store: LimitStore = {
      async check(key, max, windowMs) {
        counted.push([key, max, windowMs]);
        const count = (windows.get(key) ?? 0) + 1;
        windows.set(key, count);
        const resetsAt = new Date(test.clock.now().getTime() + 20_000);
        return { allowed: count <= max, isFirstRefusal: count === max + 1, resetsAt };
      },
    };
    const limits = { store, refresh: { max: 1 }, signin: { count: 'failures' } } as const;
    const published: EventRecord[] = [];
    const onEvent = (event: EventRecord): void => void published.push(event);
    const test = await createTestServer({ engine, auth: { limits, onEvent, emailPassword: { rateLimit: {} } } });
    const browser = await signUp(test, ada);
    await browser.post('/api/auth/signin', { ...ada, password: 'wrong' });
    expect(await refreshes(browser, 1)).toEqual([200]);
    const refused = await browser.post('/api/auth/refresh');
    expect([refusalOf(refused), refused.headers.get('retry-after')]).toEqual(['RATE_LIMITED', '20']);
    expect(counted).toEqual([
      [`signup:${ada.email}`, 3, hour],
      [`refresh:${office}`, 1, minute],
      [`refresh:${office}`, 1, minute],
    ]);
    await test.server.auth.drain();
    expect(published.filter(({ type }) => type === 'rate_limit.reached')).toMatchObject([
      { detail: { limit: 'refresh', key: office } },
    ]);
  });

  it('refuse every attempt while the store of the app fails', async () => {
    const store: LimitStore = { check: async () => Promise.reject(new Error('Redis is down.')) };
    const test = await createTestServer({ engine, auth: { limits: { store } } });
    const browser = test.client(office);
    for (const refused of [await browser.post('/api/auth/signup', ada), await browser.post('/api/auth/refresh')]) {
      expect([refused.status, refusalOf(refused)]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
  });

  it.each([
    ['nothing', undefined],
    ['a boolean', true],
    ['no moment', { allowed: true, isFirstRefusal: false }],
    ['a number of milliseconds', { allowed: true, isFirstRefusal: false, resetsAt: 0 }],
    ['an invalid date', { allowed: false, isFirstRefusal: false, resetsAt: new Date(Number.NaN) }],
    ['a text', { allowed: 'false', isFirstRefusal: false, resetsAt: new Date(0) }],
  ])('refuse every attempt while the store of the app resolves to %s, and log why', async (_what, result) => {
    const { logger, lines } = recordingLogger();
    const store = { check: async () => result } as unknown as LimitStore;
    const test = await createTestServer({ engine, logger, auth: { limits: { store } } });
    expect(await refreshes(test.client(office), 1)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(lines.map(({ fields }) => String(fields['err']))).toContainEqual(
      expect.stringContaining('limits.store: check must resolve to'),
    );
  });

  it('on refreshes warn once an hour that people who are signed in are refused for their network', async () => {
    const { logger, lines } = recordingLogger();
    const test = await createTestServer({ engine, logger, auth: { limits: { refresh: { max: 1 } } } });
    const [one, other] = [await signUp(test, ada), await signUp(test, grace)];
    const warnings = (): unknown =>
      lines.filter(({ message }) => message.includes('limits.refresh')).map(({ level, fields }) => [level, fields]);
    await refreshes(test.client(office), 5);
    expect(warnings()).toEqual([]);
    await refreshes(one, 3);
    await refreshes(other, 2);
    expect(warnings()).toEqual([['warn', { network: office, refused: 1 }]]);
    test.clock.advance(hour - 1);
    await refreshes(one, 2);
    expect(warnings()).toHaveLength(1);
    test.clock.advance(1);
    await refreshes(one, 1);
    expect(warnings()).toEqual([
      ['warn', { network: office, refused: 1 }],
      ['warn', { network: office, refused: 5 }],
    ]);
  });
});

it('does not warn of refused refreshes where each session is counted by itself', async () => {
  const { logger, lines } = recordingLogger();
  const test = await createTestServer({ logger, auth: { limits: { refresh: { max: 1, per: 'session' } } } });
  expect(await refreshes(await signUp(test, ada), 2)).toEqual([200, 'RATE_LIMITED']);
  expect(lines.filter(({ message }) => message.includes('limits.refresh'))).toEqual([]);
});

const wrongCode = 'MFA_INVALID_CODE';

async function signUp({ client }: TestServer, account: typeof ada): Promise<TestClient> {
  const browser = client(office);
  expect((await browser.post('/api/auth/signup', account)).status).toBe(201);
  return browser;
}

/** Refreshes several times, and returns how each went. */
async function refreshes(browser: TestClient, times: number): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  for (let count = 0; count < times; count += 1) outcomes.push(await outcomeOf(browser.post('/api/auth/refresh')));
  return outcomes;
}

async function outcomeOf(sent: ReturnType<TestClient['post']>): Promise<unknown> {
  const response = await sent;
  return response.status < 400 ? response.status : refusalOf(response);
}
