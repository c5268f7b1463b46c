import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';
const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** The limits that an app has where it configures none. */
function createLimitedServer({ auth, ...options }: TestServerOptions = {}): Promise<TestServer> {
  return createTestServer({ ...options, auth: { ...auth, emailPassword: { rateLimit: {}, ...auth?.emailPassword } } });
}

/** The rows of the specification's table: what each admits, and one attempt that goes wrong for another reason. */
const table = {
  signup: {
    maxAttempts: 3,
    windowMs: hour,
    admitted: 'VALIDATION_FAILED',
    attempt: (client: TestClient) => client.post('/api/auth/signup', { email, password: 'short' }),
  },
  signin: {
    maxAttempts: 5,
    windowMs: 15 * minute,
    admitted: 'INVALID_CREDENTIALS',
    attempt: (client: TestClient) => client.post('/api/auth/signin', { email, password: 'wrong' }),
  },
  refresh: {
    maxAttempts: 10,
    windowMs: minute,
    admitted: 'SESSION_EXPIRED',
    attempt: (client: TestClient) => client.post('/api/auth/refresh'),
  },
} as const;

const rows = Object.entries(table).flatMap(([route, row]) => engines.map((engine) => ({ route, engine, ...row })));

describe.each(rows)('$route on $engine', ({ engine, maxAttempts, windowMs, admitted, attempt }) => {
  it(`allows ${maxAttempts} attempts in ${windowMs} ms, from the first on, and not one more`, async () => {
    const { client, clock } = await createLimitedServer({ engine });
    const browser = client('192.0.2.1');
    // Windows are fixed, not sliding: those that follow the first move nothing.
    const pause = 2 * second;
    for (let count = 0; count < maxAttempts; count += 1) {
      if (count > 0) clock.advance(pause);
      expect(refusalOf(await attempt(browser))).toBe(admitted);
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
    for (let count = 0; count < maxAttempts; count += 1) expect(refusalOf(await attempt(browser))).toBe(admitted);
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

/** Returns the seconds that a 429 asks to wait; it is in the one error shape, and touches no cookie. */
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
    // A refusal takes no cookie: the client waits, and its session goes on.
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
    expect((await rateLimits.check('refresh:192.0.2.1', 10, minute)).remaining).toBe(9);
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
        const { attempt, admitted } = table[route as keyof typeof table];
        for (let count = 0; count < maxAttempts; count += 1) expect(refusalOf(await attempt(browser))).toBe(admitted);
        expect(waitOf(await attempt(browser))).toBe(seconds);
      }
    },
  );
});
