import type { JsonObject, UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createTestServer, engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const registered = [
  ...['iss', 'aud', 'sub', 'sid', 'jti', 'iat', 'exp', 'nbf', 'email', 'emailVerified', 'role', 'tenantId', 'ver'],
  ...['user', 'fva', 'acl'],
];

describe.each(engines)('claims of the app on %s', (engine) => {
  it('are in the JWT and the session of every sign-in, and are computed again by each refresh', async () => {
    let plan = 'free';
    const claims = (): { readonly plan: string; readonly nested: { readonly seats: readonly number[] } } => ({
      plan,
      nested: { seats: [1, 2] },
    });
    const { client } = await createTestServer({ engine, auth: { claims } });
    const browser = client();
    const readSession = async (): Promise<unknown> => {
      const { session } = (await browser.get('/api/auth/session')).body;
      expect(readToken(browser.cookies.get('app.sid')!).payload).toMatchObject(claims());
      return session;
    };
    await browser.post('/api/auth/signup', ada);
    expect(await readSession()).toMatchObject({ claims: { plan: 'free', nested: { seats: [1, 2] } } });
    plan = 'pro';
    await browser.post('/api/auth/refresh');
    expect(await readSession()).toHaveProperty('claims', { plan: 'pro', nested: { seats: [1, 2] } });
    plan = 'team';
    await browser.post('/api/auth/signin', ada);
    expect(await readSession()).toHaveProperty('claims', { plan: 'team', nested: { seats: [1, 2] } });
  });

  it('replace no registered claim, at sign-up, at sign-in or at a refresh', async () => {
    const evil = Object.fromEntries([...registered, 'fine'].map((name) => [name, 'evil'] as const));
    const { server, client } = await createTestServer({ engine, auth: { claims: () => evil } });
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    for (const path of [null, '/api/auth/signin', '/api/auth/refresh']) {
      if (path !== null) await browser.post(path, path.endsWith('signin') ? ada : undefined);
      const { payload } = readToken(browser.cookies.get('app.sid')!);
      const { fine, ...rest } = payload;
      expect(fine).toBe('evil');
      expect(JSON.stringify(rest)).not.toContain('evil');
      expect(payload).toMatchObject({ sub: id, role: 'user', ver: 0, tenantId: null });
      const { session } = (await browser.get('/api/auth/session')).body;
      expect(session).toMatchObject({ user: { id, email: ada.email, role: 'user' } });
      expect(session).toHaveProperty('claims', { fine: 'evil' });
    }
    expect(await server.stores.sessions.countActive(id as UserId)).toBe(2);
  });

  it('cannot be set by a sign-up', async () => {
    const { client } = await createTestServer({ engine, auth: { claims: () => ({ plan: 'free' }) } });
    for (const input of [{ claims: { plan: 'pro' } }, { plan: 'pro' }, { fva: 1 }, { acl: {} }]) {
      expect((await client().post('/api/auth/signup', { ...ada, ...input })).status).toBe(400);
    }
  });
});

it.each(['__proto__', 'constructor', 'prototype'])(
  'claims of the app with the key %s are refused, and store nothing',
  async (key) => {
    for (const [text, path] of [
      [`{"${key}":{"role":"admin"}}`, ['claims', key]],
      [`{"plan":"pro","teams":[{"${key}":1}]}`, ['claims', 'teams', 0, key]],
    ] as const) {
      const { server, client } = await createTestServer({ auth: { claims: () => JSON.parse(text) as JsonObject } });
      const { status, body, headers } = await client().post('/api/auth/signup', ada);
      expect([status, body.error.code, body.error.issues?.map((issue) => issue.path)]).toEqual([
        400,
        'VALIDATION_FAILED',
        [path],
      ]);
      expect(headers.getSetCookie()).toEqual([]);
      expect(await server.stores.users.findByLoginEmail(ada.email)).toBeNull();
    }
  },
);

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
    let calls = 0;
    const { server, client } = await createTestServer({
      engine,
      auth: {
        claims: async ({ id }) => {
          calls += 1;
          if (calls === 2) await server.auth.admin.setRole(id, 'admin');
          if (calls === 3) throw new Error('broken');
          return {};
        },
      },
    });
    const { id } = (await client().post('/api/auth/signup', ada)).body.user;
    const refused = await client().post('/api/auth/signin', ada);
    expect([calls, refused.status, refused.headers.getSetCookie()]).toEqual([3, 500, []]);
    expect(await server.stores.sessions.countActive(id as UserId)).toBe(1);
    expect((await client().post('/api/auth/signin', ada)).body.user).toMatchObject({ id, role: 'admin' });
  });

  it('describe the user when the session is stored, not when the password was checked', async () => {
    const changed = Promise.withResolvers<void>();
    let calls = 0;
    const { server, client } = await createTestServer({
      engine,
      auth: {
        claims: async ({ email }) => {
          calls += 1;
          if (calls === 2) await changed.promise;
          return { seen: email };
        },
      },
    });
    await client().post('/api/auth/signup', ada);
    const user = (await server.stores.users.findByLoginEmail(ada.email))!;
    const browser = client();
    const signIn = browser.post('/api/auth/signin', ada);
    while (calls < 2) await new Promise(setImmediate);
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
