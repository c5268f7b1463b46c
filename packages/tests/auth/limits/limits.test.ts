import { describe, expect, it, vi } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createMfaServer, enrol } from '../../support/second-factor.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';
const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** A server with the default limits. */
function createLimitedServer({ auth, ...options }: TestServerOptions = {}): Promise<TestServer> {
  return createTestServer({ ...options, auth: { ...auth, emailPassword: { rateLimit: {}, ...auth?.emailPassword } } });
}

/** The limits of the specification, each with an attempt that fails for another reason. */
const table = {
  signup: {
    maxAttempts: 3,
    windowMs: hour,
    allowed: 'VALIDATION_FAILED',
    attempt: (client: TestClient) => client.post('/api/auth/signup', { email, password: 'short' }),
  },
  signin: {
    maxAttempts: 5,
    windowMs: 15 * minute,
    allowed: 'INVALID_CREDENTIALS',
    attempt: (client: TestClient) => client.post('/api/auth/signin', { email, password: 'wrong' }),
  },
  refresh: {
    maxAttempts: 10,
    windowMs: minute,
    allowed: 'SESSION_EXPIRED',
    attempt: (client: TestClient) => client.post('/api/auth/refresh'),
  },
} as const;

const rows = Object.entries(table).flatMap(([route, row]) => engines.map((engine) => ({ route, engine, ...row })));

describe.each(rows)('$route on $engine', ({ engine, maxAttempts, windowMs, allowed, attempt }) => {
  it(`allows ${maxAttempts} attempts in ${windowMs} ms, from the first on, and not one more`, async () => {
    const { client, clock } = await createLimitedServer({ engine });
    const browser = client('192.0.2.1');
    // Windows are fixed, not sliding: attempts after the first do not move their end.
    const pause = 2 * second;
    for (let count = 0; count < maxAttempts; count += 1) {
      if (count > 0) clock.advance(pause);
      expect(refusalOf(await attempt(browser))).toBe(allowed);
    }
    let left = windowMs - (maxAttempts - 1) * pause;
    expect(waitOf(await attempt(browser))).toBe(left / second);
    for (const step of [pause, left - pause - 2 * second, second]) {
      clock.advance(step);
      left -= step;
      expect(waitOf(await attempt(browser))).toBe(left / second);
    }

    clock.advance(second - 1);
    expect(waitOf(await attempt(browser))).toBe(1);
    clock.advance(1);
    for (let count = 0; count < maxAttempts; count += 1) expect(refusalOf(await attempt(browser))).toBe(allowed);
    expect(waitOf(await attempt(browser))).toBe(windowMs / second);
  });

  it('returns the rest of the window in whole seconds, rounded up', async () => {
    const { client, clock } = await createLimitedServer({ engine });
    const browser = client('192.0.2.1');
    for (let count = 0; count < maxAttempts; count += 1) await attempt(browser);
    clock.advance(1);
    expect(waitOf(await attempt(browser))).toBe(windowMs / second);
    clock.advance(second - 1);
    expect(waitOf(await attempt(browser))).toBe(windowMs / second - 1);
    clock.advance(1);
    expect(waitOf(await attempt(browser))).toBe(windowMs / second - 1);
  });

  it('never requires a longer wait than a window, even if a clock that is ahead began it', async () => {
    const { client, clock } = await createLimitedServer({ engine });
    const browser = client('192.0.2.1');
    clock.advance(30 * second);
    for (let count = 0; count < maxAttempts; count += 1) await attempt(browser);
    clock.advance(-30 * second);
    expect(waitOf(await attempt(browser))).toBe(windowMs / second);
  });
});

/** Expects a 429 in the common error shape without cookies, and returns its Retry-After in seconds. */
function waitOf(response: TestResponse): number {
  const retryAfter = Number(response.headers.get('retry-after'));
  expect([response.status, response.body]).toEqual([
    429,
    { error: { code: 'RATE_LIMITED', message: 'Too many attempts.', retryAfter } },
  ]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.getSetCookie()).toEqual([]);
  return retryAfter;
}

describe.each(engines)('an attempt on %s', (engine) => {
  it('counts even if it succeeds, and a success makes no room for others', async () => {
    const { client, clock } = await createLimitedServer({ engine });
    const browser = client('192.0.2.1');
    expect((await browser.post('/api/auth/signup', { email, password })).status).toBe(201);
    for (const outcome of [401, 401, 200, 401, 200, 429, 429] as const) {
      const tried = { email, password: outcome === 401 ? 'wrong' : password };
      expect((await browser.post('/api/auth/signin', tried)).status).toBe(outcome);
    }
    for (let count = 0; count < 10; count += 1) {
      expect((await browser.post('/api/auth/refresh')).status).toBe(200);
      clock.advance(second);
    }
    expect(refusalOf(await browser.post('/api/auth/refresh'))).toBe('RATE_LIMITED');
    // A refusal clears no cookie: the client waits, and its session continues.
    expect(browser.cookies.size).toBe(2);
    clock.advance(50 * second);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it('of one kind does not count for other kinds', async () => {
    const { client } = await createLimitedServer({ engine });
    const browser = client('192.0.2.1');
    await browser.post('/api/auth/signup', { email, password });
    for (let count = 0; count < 5; count += 1) await browser.post('/api/auth/signup', { email, password });
    for (let count = 0; count < 5; count += 1) {
      expect((await browser.post('/api/auth/signin', { email, password })).status).toBe(200);
    }
    expect((await browser.post('/api/auth/signin', { email, password })).status).toBe(429);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    expect((await browser.post('/api/auth/signout')).status).toBe(200);
  });

  it('does not count if it is malformed', async () => {
    const { client, server } = await createLimitedServer({ engine });
    const browser = client('192.0.2.1');
    const good = JSON.stringify({ email, password: 'wrong' });
    const malformed = [
      ...[{ raw: good.slice(1) }, { raw: `\ufeff${good}` }, { raw: `${good}x` }, { raw: '' }, { raw: '[]' }],
      ...[
        { raw: good, headers: { 'content-type': 'text/plain' } },
        { raw: good, headers: { origin: null } },
      ],
      ...[{ raw: good, headers: { 'x-app-request': null } }, { raw: good.padEnd(300_000) }],
      ...[{ email }, { email: [email], password }, { email, password: 1 }, { email, password, extra: 1 }].map(
        (body) => ({
          body,
        }),
      ),
      { body: { email, password: 'x'.repeat(2000) } },
      { body: { email: 'ada＠example.com', password } },
    ];
    const { rateLimits } = server.stores;
    for (const path of ['/api/auth/signup', '/api/auth/signin']) {
      for (const request of malformed) {
        const response = await browser.send(path, { method: 'POST', ...request });
        expect([400, 403, 413, 415]).toContain(response.status);
      }
    }
    expect((await rateLimits.check(`signin:${email}`, 5, minute)).remaining).toBe(4);
    expect((await rateLimits.check(`signup:${email}`, 3, minute)).remaining).toBe(2);
    for (const headers of [{ origin: null }, { 'x-app-request': null }, { 'content-type': 'text/plain' }]) {
      const response = await browser.send('/api/auth/refresh', { method: 'POST', raw: '{"a":1}', headers });
      expect([400, 403, 415]).toContain(response.status);
    }
    for (const limit of ['refresh', 'unknownRefresh']) {
      expect((await rateLimits.check(`${limit}:192.0.2.1`, 10, minute)).remaining).toBe(9);
    }
  });

  it.each([
    [
      { window: '10s', maxAttempts: 2 },
      { signup: [2, 10], signin: [2, 10] },
    ],
    [{ maxAttempts: 1 }, { signup: [1, 3600], signin: [1, 900] }],
    [{ window: 1500 }, { signup: [3, 2], signin: [5, 2] }],
  ] as const)(
    'is limited by the rateLimit %j as a sign-up and a sign-in, but not as a refresh',
    async (rateLimit, limits) => {
      const { client } = await createLimitedServer({ engine, auth: { emailPassword: { rateLimit } } });
      const browser = client('192.0.2.1');
      for (const [route, [maxAttempts, seconds]] of Object.entries({ ...limits, refresh: [10, 60] as const })) {
        const { attempt, allowed } = table[route as keyof typeof table];
        for (let count = 0; count < maxAttempts; count += 1) expect(refusalOf(await attempt(browser))).toBe(allowed);
        expect(waitOf(await attempt(browser))).toBe(seconds);
      }
    },
  );
});

const wrong = 'wrong horse battery';

const routes: Readonly<Record<string, (browser: TestClient) => Promise<TestResponse>>> = {
  'resend-verification': (browser) => browser.post('/api/auth/resend-verification'),
  'step-up': (browser) => browser.post('/api/auth/mfa/step-up', { code: '000000' }),
  'change-password': (browser) =>
    browser.post('/api/auth/change-password', { currentPassword: wrong, newPassword: 'another horse battery' }),
  'change-email': (browser) => browser.post('/api/auth/change-email', { email: 'eve@example.com', password: wrong }),
  'mfa/disable by password': (browser) => browser.post('/api/auth/mfa/disable', { password: wrong }),
  'mfa/disable by code': (browser) => browser.post('/api/auth/mfa/disable', { code: '000000' }),
  account: (browser) => browser.send('/api/auth/account', { method: 'DELETE', body: { password: wrong } }),
};

it.each(Object.entries(routes))(
  'counts no attempt of a user for a session that another server revoked: %s',
  async (_route, attempt) => {
    const mailbox = createMailbox();
    const test = await createMfaServer({ auth: mailbox.auth });
    const { browser: owner } = await enrol(test);
    await test.server.stores.sessions.revoke((await owner.get('/api/auth/session')).body.session!.id as never);
    // As in another process that does not know of the revocation yet.
    vi.spyOn(test.server.auth.dependencies.sessions.revokedSessions, 'has').mockReturnValue(false);
    const counted = vi.spyOn(test.server.stores.rateLimits, 'check');
    for (let count = 0; count < 11; count += 1) expect(refusalOf(await attempt(owner))).toBe('UNAUTHENTICATED');
    expect(counted).not.toHaveBeenCalled();
  },
);
