import type { Server } from '@x/server';
import { storeUnavailable } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import {
  deriveToken,
  expectSessionExpired,
  refreshWith,
  setCookie,
  storedSession,
} from '../../support/refresh-tokens.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const leak = 'UPDATE auth_sessions SET refresh_token_hash = $secret at /srv/app/db.ts:1';

/** Makes one step of the stores fail once, before it does anything. */
const failures: Readonly<Record<string, (server: Server, error: Error) => void>> = {
  limit: ({ stores }, error) => void vi.spyOn(stores.rateLimits, 'check').mockRejectedValueOnce(error),
  look: ({ stores }, error) => void vi.spyOn(stores.sessions, 'findWithUser').mockRejectedValueOnce(error),
  rotation: ({ stores }, error) => void vi.spyOn(stores.sessions, 'rotate').mockRejectedValueOnce(error),
};

describe.each(engines)('a refresh on %s', (engine) => {
  it.each(Object.entries(failures))(
    'responds with 503 if the %s fails, and works again afterwards',
    async (_step, fail) => {
      const test = await createTestServer({ engine });
      const browser = test.client();
      await browser.post('/api/auth/signup', ada);
      const token = browser.cookies.get('app.ref')!;
      const before = await storedSession(test, token);
      fail(test.server, storeUnavailable(new Error(leak)));
      expectUnavailable(await browser.post('/api/auth/refresh'));
      expect(await storedSession(test, token)).toEqual(before);
      expect((await browser.post('/api/auth/refresh')).status).toBe(200);
      expect((await storedSession(test, token)).generation).toBe(1);
    },
  );

  it.each(['look', 'rotation'])('responds with a generic 500 if the %s fails with an unknown error', async (step) => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    failures[step]!(test.server, new Error(leak));
    const response = await browser.post('/api/auth/refresh');
    expect([response.status, response.body, response.headers.getSetCookie()]).toEqual([
      500,
      { error: { code: 'INTERNAL_ERROR', message: 'Something went wrong.' } },
      [],
    ]);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it('can be retried if the rotation was stored but the response was lost', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.ref')!;
    const { sessions } = test.server.stores;
    const rotate = sessions.rotate.bind(sessions);
    vi.spyOn(sessions, 'rotate').mockImplementationOnce(async (...rotation) => {
      await rotate(...rotation);
      throw storeUnavailable(new Error(leak));
    });
    expectUnavailable(await browser.post('/api/auth/refresh'));
    const rotated = await storedSession(test, token);
    expect(rotated.generation).toBe(1);
    test.clock.advance(9999);
    const retry = await browser.post('/api/auth/refresh');
    expect([retry.status, setCookie(retry, 'app.ref')]).toEqual([200, deriveToken(test, rotated, 1)]);
    expect(await storedSession(test, token)).toEqual(rotated);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it('responds with 503 if a reuse cannot be stored, and ends the session the next time', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const old = browser.cookies.get('app.ref')!;
    for (let times = 0; times < 2; times++) await browser.post('/api/auth/refresh');
    vi.spyOn(test.server.stores, 'transaction').mockRejectedValueOnce(storeUnavailable(new Error(leak)));
    expectUnavailable(await refreshWith(test, old));
    expect((await storedSession(test, old)).revokedAt).toBeNull();
    expectSessionExpired(await refreshWith(test, old));
    expect((await storedSession(test, old)).revokedAt).not.toBeNull();
  });

  it('responds with 429 over the limit, changes no cookie, and works a minute later', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client('192.0.2.1');
    await browser.post('/api/auth/signup', ada);
    for (let times = 0; times < 10; times++) expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    const before = await storedSession(test, browser.cookies.get('app.ref')!);
    const response = await browser.post('/api/auth/refresh');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await storedSession(test, browser.cookies.get('app.ref')!)).toEqual(before);
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    test.clock.advance(60_000);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it.each([
    ['throw', () => Promise.reject(new Error(leak))],
    ['are no object', () => null as unknown as Record<string, never>],
    ['are too large for a cookie', () => ({ text: 'x'.repeat(5000) })],
  ])('responds with 500 and rotates nothing if the claims of the app %s', async (_title, failing) => {
    let isFailing = false;
    const test = await createTestServer({ engine, auth: { claims: () => (isFailing ? failing() : { plan: 'pro' }) } });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.ref')!;
    const before = await storedSession(test, token);
    isFailing = true;
    const response = await browser.post('/api/auth/refresh');
    expect([response.status, response.body.error.code, response.headers.getSetCookie()]).toEqual([
      500,
      'INTERNAL_ERROR',
      [],
    ]);
    expect(await storedSession(test, token)).toEqual(before);
    isFailing = false;
    const { refreshToken } = await refreshWith(test, token);
    isFailing = true;
    expect((await refreshWith(test, token)).status).toBe(500);
    isFailing = false;
    expect((await refreshWith(test, token)).refreshToken).toBe(refreshToken);
  });
});

function expectUnavailable({ status, body, headers }: TestResponse): void {
  expect([status, body]).toEqual([
    503,
    { error: { code: 'SERVICE_UNAVAILABLE', message: expect.not.stringContaining('auth_sessions'), retryAfter: 1 } },
  ]);
  expect([headers.get('retry-after'), headers.getSetCookie()]).toEqual(['1', []]);
}
