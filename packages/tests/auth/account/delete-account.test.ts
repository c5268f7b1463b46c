import { CodedError } from '@x/errors';
import { describe, expect, it, vi } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { clearedSession, isValidJwt } from '../../support/refresh-tokens.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const minute = 60_000;

interface Deleting extends TestServer {
  readonly browser: TestClient;
  readonly other: TestClient;
  readonly remove: (body?: unknown) => Promise<TestResponse>;
}

async function signedIn(options: TestServerOptions): Promise<Deleting> {
  const test = await createTestServer({ ...options, auth: { ...createMailbox().auth, ...options.auth } });
  const [browser, other] = [test.client(), test.client()];
  await browser.post('/api/auth/signup', ada);
  await other.post('/api/auth/signin', ada);
  const remove = (body?: unknown): Promise<TestResponse> =>
    browser.send('/api/auth/account', { method: 'DELETE', body });
  return { ...test, browser, other, remove };
}

describe.each(engines)('DELETE /api/auth/account on %s', (engine) => {
  it('deletes the account with its sessions, and clears the cookies', async () => {
    const test = await signedIn({ engine });
    const { browser, client, other, remove, server } = test;
    const jwts = [browser, other].map(({ cookies }) => cookies.get('app.sid')!);
    const response = await remove({ password: ada.password });
    expect([response.status, response.text]).toEqual([200, '{"ok":true}']);
    expect(response.headers.getSetCookie()).toEqual(clearedSession);
    for (const jwt of jwts) expect(await isValidJwt(test, jwt)).toBe(false);
    expect((await other.post('/api/auth/refresh')).status).toBe(401);
    expect((await client().post('/api/auth/signin', ada)).status).toBe(401);
    expect(await server.stores.users.findByLoginEmail(ada.email)).toBeNull();
    expect((await client().post('/api/auth/signup', ada)).status).toBe(201);
  });

  it('keeps the event log, and records the deletion in it', async () => {
    const { browser, remove, server } = await signedIn({ engine });
    const { user } = (await browser.get('/api/auth/session')).body.session as unknown as { user: { id: string } };
    await remove({ password: ada.password });
    const listed = await server.auth.admin.listEvents({ userId: user.id });
    expect(listed.ok && listed.value.items.map(({ type }) => type)).toContain('user.deleted');
  });

  it('requires a session, and of a password that it is right', async () => {
    const { client, remove } = await signedIn({ engine });
    const anonymous = await client().send('/api/auth/account', { method: 'DELETE', body: { password: ada.password } });
    expect(refusalOf(anonymous)).toBe('UNAUTHENTICATED');
    for (const body of [{ password: 'wrong horse battery' }, { password: '' }]) {
      expect(refusalOf(await remove(body))).toBe('INVALID_CREDENTIALS');
    }
    for (const body of [[], 'x', { password: 1 }, { password: [ada.password] }, { userId: '1' }]) {
      expect(refusalOf(await remove(body))).toBe('VALIDATION_FAILED');
    }
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('refuses to delete an account without a proof from a session of more than five minutes', async () => {
    const { browser, clock, remove, server } = await signedIn({ engine });
    const user = (await server.stores.users.findByLoginEmail(ada.email))!;
    await server.stores.users.setPassword(user.id, null);
    await server.stores.oauthAccounts.link({ userId: user.id, provider: 'gone', providerId: '1', email: null });
    clock.advance(5 * minute + 1);
    await browser.post('/api/auth/refresh');
    for (const body of [undefined, {}]) {
      const refused = await remove(body);
      // The account has no password, and its provider is no longer configured.
      const meta = { maxAge: 300, methods: [] };
      expect([refusalOf(refused), refused.body.error]).toMatchObject(['STEP_UP_REQUIRED', { meta }]);
    }
    expect(await server.stores.users.findById(user.id)).not.toBeNull();
  });

  it('deletes nothing for a body that is not an object', async () => {
    const { remove, server } = await signedIn({ engine });
    const user = (await server.stores.users.findByLoginEmail(ada.email))!;
    await server.stores.users.setPassword(user.id, null);
    for (const body of [null, false, 0, '']) expect(refusalOf(await remove(body))).toBe('VALIDATION_FAILED');
    expect(await server.stores.users.findById(user.id)).not.toBeNull();
  });

  it('deletes an account without a password from a recent session, even without a body', async () => {
    const { clock, remove, server } = await signedIn({ engine });
    const user = (await server.stores.users.findByLoginEmail(ada.email))!;
    await server.stores.users.setPassword(user.id, null);
    clock.advance(50_000);
    expect((await remove()).status).toBe(200);
    expect(await server.stores.users.findById(user.id)).toBeNull();
  });

  it('deletes nothing if the app refuses', async () => {
    const beforeUserDelete = (): never => {
      throw new CodedError('CONFLICT', 'Hand your organization over first.');
    };
    const { browser, remove } = await signedIn({ engine, auth: { beforeUserDelete } });
    const response = await remove({ password: ada.password });
    expect([refusalOf(response), response.headers.getSetCookie()]).toEqual(['CONFLICT', []]);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it('counts no right password as a wrong one, however often the app refuses', async () => {
    const beforeUserDelete = (): never => {
      throw new CodedError('CONFLICT', 'Hand your organization over first.');
    };
    const { remove } = await signedIn({ engine, auth: { beforeUserDelete } });
    for (let count = 0; count < 12; count += 1)
      expect(refusalOf(await remove({ password: ada.password }))).toBe('CONFLICT');
    for (let count = 0; count < 10; count += 1) {
      expect(refusalOf(await remove({ password: 'wrong horse battery' }))).toBe('INVALID_CREDENTIALS');
    }
    expect(refusalOf(await remove({ password: ada.password }))).toBe('RATE_LIMITED');
  });

  it("commits the work of the app's last hook together with the deletion, at a later pruning if it fails", async () => {
    const onUserDeleted = vi
      .fn<NonNullable<NonNullable<TestServerOptions['auth']>['onUserDeleted']>>()
      .mockImplementationOnce(async (_, { stores }) => {
        await stores.counters.add('deleted', 1);
        throw new Error('the app fails');
      })
      .mockImplementation(async (user, { stores }) => {
        expect(await stores.users.findById(user.id as never)).toBeNull();
        await stores.counters.add('deleted', 1);
      });
    const { client, remove, server } = await signedIn({ engine, auth: { onUserDeleted } });
    const { counters } = server.stores;
    expect((await remove({ password: ada.password })).status).toBe(200);
    expect([await counters.read('deleted'), (await client().post('/api/auth/signin', ada)).status]).toEqual([0, 401]);
    // Another person can sign up with the address already.
    expect((await client().post('/api/auth/signup', ada)).status).toBe(201);
    expect(await server.auth.prune()).toMatchObject({ accounts: 1 });
    expect([await counters.read('deleted'), await server.auth.prune()]).toMatchObject([1, { accounts: 0 }]);
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('leaves steps that do not fit the time of a request to pruning', async () => {
    const onUserDeleting: NonNullable<TestServerOptions['auth']>['onUserDeleting'] = async (_, { batch }) => {
      for (let count = 0; count < 3; count += 1) {
        await batch(({ stores }) => stores.counters.add('batches', 1));
        clock.advance(5000);
      }
    };
    const test = await signedIn({ engine, auth: { onUserDeleting } });
    const { clock, remove, server } = test;
    const { counters, users } = server.stores;
    const { id } = (await users.findByLoginEmail(ada.email))!;
    expect((await remove({ password: ada.password })).status).toBe(200);
    expect([await counters.read('batches'), await users.findById(id)]).toMatchObject([2, { unfinished: 'deletion' }]);
    expect(await server.auth.prune()).toMatchObject({ accounts: 1 });
    expect([await counters.read('batches'), await users.findById(id)]).toEqual([5, null]);
  });
});
