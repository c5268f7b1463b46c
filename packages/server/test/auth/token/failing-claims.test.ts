import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('failing claims of the app on %s', (engine) => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['is null', () => null as unknown as Record<string, never>],
    ['is too large for a cookie', () => ({ text: 'x'.repeat(5000) })],
  ])('store nothing if what they return %s', async (_title, failing) => {
    let isFailing = true;
    const { server, client } = await createTestServer({
      engine,
      auth: { claims: () => (isFailing ? failing() : { plan: 'pro' }) },
    });
    const refused = await client().post('/api/auth/signup', ada);
    expect([refused.status, refused.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect(await server.stores.users.findByLoginEmail(ada.email)).toBeNull();

    isFailing = false;
    const signedUp = await client().post('/api/auth/signup', ada);
    expect(signedUp.status).toBe(201);
    isFailing = true;
    expect((await client().post('/api/auth/signin', ada)).status).toBe(500);
    const { id } = (await server.stores.users.findByLoginEmail(ada.email))!;
    expect(await server.stores.sessions.countActive(id)).toBe(1);
  });

  it('leave no active session behind if they fail only for the user as changed meanwhile', async () => {
    let asked = 0;
    const { server, client } = await createTestServer({
      engine,
      auth: {
        claims: async ({ id }) => {
          asked += 1;
          if (asked === 2) await server.auth.admin.setRole(id, 'admin');
          if (asked === 3) throw new Error('broken');
          return {};
        },
      },
    });
    const { id } = (await client().post('/api/auth/signup', ada)).body.user;
    const refused = await client().post('/api/auth/signin', ada);
    expect([asked, refused.status, refused.headers.getSetCookie()]).toEqual([3, 500, []]);
    expect(await server.stores.sessions.countActive(id as UserId)).toBe(1);
    expect((await client().post('/api/auth/signin', ada)).body.user).toMatchObject({ id, role: 'admin' });
  });

  it('describe the user when the session is stored, not when the password was checked', async () => {
    const changed = Promise.withResolvers<void>();
    let asked = 0;
    const { server, client } = await createTestServer({
      engine,
      auth: {
        claims: async ({ email }) => {
          asked += 1;
          if (asked === 2) await changed.promise;
          return { seen: email };
        },
      },
    });
    await client().post('/api/auth/signup', ada);
    const user = (await server.stores.users.findByLoginEmail(ada.email))!;
    const browser = client();
    const signIn = browser.post('/api/auth/signin', ada);
    while (asked < 2) await new Promise(setImmediate);
    await server.stores.users.claimEmail(user.id, 'countess@example.com');
    changed.resolve();
    expect((await signIn).body.user.email).toBe('countess@example.com');
    const session = await browser.get('/api/auth/session');
    expect(session.body.session).toMatchObject({
      user: { email: 'countess@example.com' },
      claims: { seen: 'countess@example.com' },
    });
  });
});
