import { describe, expect, it } from 'vitest';
import {
  expectSessionExpired,
  isValidJwt,
  refreshWith,
  setCookie,
  storedSession,
} from '../../support/refresh-tokens.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import type { TestClient } from '../../support/test-client.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('the claims of a refreshed session on %s', (engine) => {
  it('describe the user as stored now, while a JWT from before a change of role is refused at once', async () => {
    const test = await createTestServer({ engine, auth: { claims: ({ role }) => ({ greeting: `Dear ${role}` }) } });
    const [browser, other] = [test.client(), test.client()];
    const { user } = (await browser.post('/api/auth/signup', ada)).body;
    await other.post('/api/auth/signin', ada);
    await test.server.auth.admin.setRole(user.id, 'editor');
    for (const each of [browser, other]) {
      expect(await isValidJwt(test, each.cookies.get('app.sid')!)).toBe(false);
      const response = await each.post('/api/auth/refresh');
      expect([response.status, response.body.user]).toEqual([200, expect.objectContaining({ role: 'editor' })]);
      const { payload } = readToken(setCookie(response, 'app.sid'));
      expect(payload).toMatchObject({ role: 'editor', ver: 1, greeting: 'Dear editor' });
      const session = { user: response.body.user, claims: { greeting: 'Dear editor' } };
      expect((await each.get('/api/auth/session')).body.session).toMatchObject(session);
    }
  });

  it.each(['current', 'parent'])(
    'never contain a role that was taken away while they were computed, with the %s token',
    async (presented) => {
      let meanwhile = async (): Promise<unknown> => undefined;
      const test = await createTestServer({
        engine,
        auth: { claims: async ({ role }) => (await meanwhile(), { role }) },
      });
      const browser = test.client();
      const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
      const parent = browser.cookies.get('app.ref')!;
      await browser.post('/api/auth/refresh');
      meanwhile = () => {
        meanwhile = async () => undefined;
        return test.server.auth.admin.setRole(id, 'editor');
      };
      const token = presented === 'current' ? browser.cookies.get('app.ref')! : parent;
      const response = await refreshWith(test, token);
      expect([response.status, response.body.user]).toEqual([200, expect.objectContaining({ role: 'editor' })]);
      expect(readToken(response.accessToken).payload).toMatchObject({ role: 'editor', ver: 1 });
      expect(await isValidJwt(test, response.accessToken)).toBe(true);
      const generation = presented === 'current' ? 2 : 1;
      expect(await storedSession(test, token)).toMatchObject({ generation, ver: 1 });
    },
  );

  it('keep the time of the second factor', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const { id } = await storedSession(test, browser.cookies.get('app.ref')!);
    expect(await refreshedClaims(browser)).not.toHaveProperty('fva');
    test.clock.advance(1234);
    const fva = Math.floor(test.clock.now().getTime() / 1000);
    await test.server.stores.sessions.setSecondFactor(id);
    for (const laterMs of [0, 300_000, 86_400_000]) {
      test.clock.advance(laterMs);
      expect(await refreshedClaims(browser)).toMatchObject({ fva });
    }
  });

  it('keep the tenant that the session switched to, in the JWT and in the response', async () => {
    const seen: unknown[] = [];
    const claims = ({ tenantId }: { readonly tenantId: string | null }): Record<string, never> => (
      seen.push(tenantId),
      {}
    );
    const test = await createTestServer({ engine, auth: { claims } });
    const [browser, other] = [test.client(), test.client()];
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signin', ada);
    const before = browser.cookies.get('app.sid')!;
    const { id } = await storedSession(test, browser.cookies.get('app.ref')!);
    await test.server.stores.sessions.setTenant(id, 'acme');
    expect(await isValidJwt(test, before)).toBe(false);
    seen.length = 0;
    for (let times = 0; times < 3; times++) {
      test.clock.advance(60_000);
      const { body } = await browser.post('/api/auth/refresh');
      expect(body.user).toMatchObject({ tenantId: 'acme' });
      expect(readToken(browser.cookies.get('app.sid')!).payload).toMatchObject({ tenantId: 'acme', ver: 1 });
      expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: body.user });
    }
    expect(seen).toEqual(['acme', 'acme', 'acme']);
    expect(await refreshedClaims(other)).toMatchObject({ tenantId: null, ver: 0 });
  });

  it('are not issued if the user is disabled, even once the user is enabled again', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    const [jwt, token] = ['app.sid', 'app.ref'].map((name) => browser.cookies.get(name)!) as [string, string];
    await test.server.auth.admin.disableUser(id);
    expectSessionExpired(await browser.post('/api/auth/refresh'));
    expect(await isValidJwt(test, jwt)).toBe(false);
    await test.server.auth.admin.enableUser(id);
    expectSessionExpired(await refreshWith(test, token));
  });

  it('are not issued if the user is disabled in the store alone, while the session is active', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.ref')!;
    const { userId } = await storedSession(test, token);
    await test.server.stores.users.setDisabled(userId, true);
    expectSessionExpired(await refreshWith(test, token));
    expect((await storedSession(test, token)).generation).toBe(0);
  });

  it('may take longer than the grace period without harm to a refresh that came in time', async () => {
    let meanwhile = async (): Promise<unknown> => undefined;
    const test = await createTestServer({ engine, auth: { claims: async () => (await meanwhile(), {}) } });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.ref')!;
    let successor = '';
    meanwhile = async () => {
      meanwhile = async () => undefined;
      successor = (await refreshWith(test, token)).refreshToken;
      test.clock.advance(10_000);
    };
    const response = await refreshWith(test, token);
    expect([response.status, response.refreshToken]).toEqual([200, successor]);
    expectSessionExpired(await refreshWith(test, token));
  });
});

/** Refreshes, and returns the payload of the new JWT. */
async function refreshedClaims(browser: TestClient): Promise<object> {
  return readToken(setCookie(await browser.post('/api/auth/refresh'), 'app.sid')).payload;
}
