import { createScryptHasher, type AuthAdmin, type PasswordHasher } from '@x/auth';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { expectSessionExpired } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** A signed-in user, and an operator who acts during the next sign-in or refresh. */
interface Interrupted extends TestServer {
  readonly admin: AuthAdmin;
  readonly id: UserId;
  readonly browser: TestClient;
  /** Acts once, after the password was verified and its user read, or while a refresh computes the claims. */
  readonly interruptWith: (act: () => Promise<unknown>) => void;
}

async function createInterrupted(engine: (typeof engines)[number]): Promise<Interrupted> {
  let act: (() => Promise<unknown>) | null = null;
  const interrupt = async (): Promise<void> => {
    const now = act;
    act = null;
    await now?.();
  };
  const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
  const verify: PasswordHasher['verify'] = async (hash, text) => {
    const isRight = await hasher.verify(hash, text);
    await interrupt();
    return isRight;
  };
  const claims = async (): Promise<Record<string, never>> => {
    await interrupt();
    return {};
  };
  const server = await createTestServer({ engine, auth: { passwordHasher: { ...hasher, verify }, claims } });
  const browser = server.client();
  const id = (await browser.post('/api/auth/signup', ada)).body.user.id as UserId;
  const { admin } = server.server.auth;
  return { ...server, admin, id, browser, interruptWith: (next) => void (act = next) };
}

const isSignedIn = async (browser: TestClient): Promise<boolean> =>
  (await browser.get('/api/auth/session')).body.session !== null;

describe.each(engines)('a concurrent admin change on %s', (engine) => {
  it('makes the sign-in of a user who is disabled meanwhile fail, and leaves no session', async () => {
    const { server, client, admin, id, interruptWith } = await createInterrupted(engine);
    interruptWith(() => admin.disableUser(id));
    const other = client();
    expect(refusalOf(await other.post('/api/auth/signin', ada))).toBe('INVALID_CREDENTIALS');
    expect([other.cookies.size, await server.stores.sessions.countActive(id)]).toEqual([0, 0]);
  });

  it.each(['disableUser', 'signOutUser'] as const)('makes a refresh fail during %s', async (verb) => {
    const { server, admin, id, browser, interruptWith } = await createInterrupted(engine);
    interruptWith(() => admin[verb](id));
    const response = await browser.post('/api/auth/refresh');
    expectSessionExpired(response);
    expect([browser.cookies.size, await server.stores.sessions.countActive(id)]).toEqual([0, 0]);
  });

  it('lets a sign-in complete during signOutUser, because it comes after', async () => {
    const { server, client, admin, id, browser, interruptWith } = await createInterrupted(engine);
    interruptWith(() => admin.signOutUser(id));
    const other = client();
    expect((await other.post('/api/auth/signin', ada)).status).toBe(200);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, true]);
    expect(await server.stores.sessions.countActive(id)).toBe(1);
  });

  it.each(['/api/auth/signin', '/api/auth/refresh'])('puts the new role into the response to %s', async (path) => {
    const { admin, id, browser, interruptWith } = await createInterrupted(engine);
    interruptWith(() => admin.setRole(id, 'editor'));
    const { status, body } = await browser.post(path, path.endsWith('signin') ? ada : undefined);
    expect([status, body.user]).toMatchObject([200, { role: 'editor' }]);
    expect(readToken(browser.cookies.get('app.sid')!).payload).toMatchObject({ role: 'editor' });
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('shows the last of many concurrently set roles after a refresh', async () => {
    const { server, admin, id, browser } = await createInterrupted(engine);
    const roles = Array.from({ length: 20 }, (_, index) => `role${index}`);
    const outcomes = await Promise.all(roles.map((role) => admin.setRole(id, role)));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    const role = (await server.stores.users.findById(id))?.role;
    expect(roles).toContain(role);
    expect(await isSignedIn(browser)).toBe(false);
    await browser.post('/api/auth/refresh');
    expect(readToken(browser.cookies.get('app.sid')!).payload).toMatchObject({ role, ver: 20 });
    expect(await isSignedIn(browser)).toBe(true);
  });
});
