import type { Logger } from '@x/errors';
import type { Server } from '@x/server';
import { storeUnavailable } from '@x/store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const leak = 'INSERT INTO users (password_hash) VALUES ($argon2id$secret) at /srv/app/db.ts:1';

/** Makes one step of the stores fail once. */
const failures: Readonly<Record<string, (server: Server, error: Error) => void>> = {
  lookup: ({ stores }, error) => void vi.spyOn(stores.users, 'findByLoginEmail').mockRejectedValueOnce(error),
  transaction: ({ stores }, error) => void vi.spyOn(stores, 'transaction').mockRejectedValueOnce(error),
  session: ({ stores }, error) => void vi.spyOn(stores.sessions, 'findById').mockRejectedValueOnce(error),
  revocation: ({ stores }, error) => void vi.spyOn(stores.sessions, 'revoke').mockRejectedValueOnce(error),
};

const cases: readonly (readonly [string, 'lookup' | 'transaction' | 'session' | 'revocation', object | undefined])[] = [
  ['/api/auth/signup', 'lookup', { ...ada, email: 'new@example.com' }],
  ['/api/auth/signup', 'transaction', { ...ada, email: 'new@example.com' }],
  ['/api/auth/signin', 'lookup', ada],
  ['/api/auth/signin', 'transaction', ada],
  ['/api/auth/signout', 'session', undefined],
  ['/api/auth/signout', 'revocation', undefined],
];

describe.each(cases)('%s when the %s fails', (path, step, input) => {
  it.each(engines)(
    'responds with 503 and Retry-After, changes no cookie, and works again afterwards, on %s',
    async (engine) => {
      const { server, client } = await createTestServer({ engine });
      const browser = client();
      await browser.post('/api/auth/signup', ada);
      const cookies = new Map(browser.cookies);
      failures[step]!(server, storeUnavailable(new Error(leak)));
      const response = await browser.post(path, input);
      expect([response.status, response.body]).toEqual([
        503,
        { error: { code: 'SERVICE_UNAVAILABLE', message: expect.any(String), retryAfter: 1 } },
      ]);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(browser.cookies).toEqual(cookies);
      expectNoLeak(response);
      expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
      expect((await browser.post(path, input)).status).toBeLessThan(300);
    },
  );

  it('responds with a generic 500 and a request id if the error is unknown, and logs the rest', async () => {
    const logged: object[] = [];
    const log: Logger['error'] = (fields) => void logged.push(fields);
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: log };
    const { server, client } = await createTestServer({ logger });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const error = new Error(leak);
    failures[step]!(server, error);
    const response = await browser.post(path, input, { headers: { 'x-request-id': 'req-1' } });
    expect([response.status, response.body]).toEqual([
      500,
      { error: { code: 'INTERNAL_ERROR', message: 'Something went wrong.' } },
    ]);
    expect([response.headers.get('x-request-id'), response.headers.getSetCookie()]).toEqual(['req-1', []]);
    expectNoLeak(response);
    expect(logged).toEqual([expect.objectContaining({ requestId: 'req-1', err: error })]);
  });
});

it('writes the failure to the console, under the id of the request, where the app has no logger', async () => {
  const write = vi.spyOn(console, 'error').mockReturnValue(undefined);
  onTestFinished(() => write.mockRestore());
  const { server, client } = await createTestServer();
  const error = new Error(leak);
  failures['lookup']!(server, error);
  await client().post('/api/auth/signin', ada, { headers: { 'x-request-id': 'req-2' } });
  expect(write.mock.calls).toEqual([
    [expect.stringMatching(/^error: request failed requestId=req-2 method=POST path=\/api\/auth\/signin err="/), error],
  ]);
});

it('responds with 503 at /readyz while the stores are unavailable, but not at /healthz', async () => {
  const { server, client } = await createTestServer();
  vi.spyOn(server.stores, 'ping').mockRejectedValue(storeUnavailable(new Error(leak)));
  const ready = await client().get('/readyz');
  expect([ready.status, ready.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(Number(ready.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expectNoLeak(ready);
  expect((await client().get('/healthz')).status).toBe(200);
});

it('can retry a sign-out that could not reach the stores, and then ends the session', async () => {
  const { server, client } = await createTestServer();
  const browser = client();
  const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
  failures['revocation']!(server, storeUnavailable());
  expect((await browser.post('/api/auth/signout')).status).toBe(503);
  const user = await server.stores.users.findByLoginEmail(ada.email);
  expect([user?.id, await server.stores.sessions.countActive(user!.id)]).toEqual([id, 1]);
  expect((await browser.post('/api/auth/signout')).status).toBe(200);
  expect(await server.stores.sessions.countActive(user!.id)).toBe(0);
});

function expectNoLeak({ text, headers }: TestResponse): void {
  expect(`${text}${JSON.stringify([...headers])}`).not.toMatch(/INSERT|argon2|\/srv\/|\.ts:|secret|at /);
}
