import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createTestServer, engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('the session on %s', (engine) => {
  it('consists of what the JWT contains: its id, the user as at sign-up, its expiry and the claims', async () => {
    const { client, clock } = await createTestServer({
      engine,
      auth: {
        userFields: { nickname: { schema: z.string() } },
        claims: (user) => ({
          plan: 'pro',
          greeting: `Hello, ${String(user['nickname'])}`,
          nested: { list: [1, null] },
        }),
      },
    });
    clock.advance(789);
    const browser = client();
    const signedUp = await browser.post('/api/auth/signup', { ...ada, nickname: '"Countess" \u2028 é \ud83d\udc51' });
    const { payload } = readToken(browser.cookies.get('app.sid')!);
    const { status, body } = await browser.get('/api/auth/session');
    expect([status, body]).toEqual([
      200,
      {
        session: {
          id: payload['sid'],
          user: signedUp.body.user,
          expiresAt: signedUp.body.expiresAt,
          claims: { plan: 'pro', greeting: 'Hello, "Countess" \u2028 é \ud83d\udc51', nested: { list: [1, null] } },
        },
      },
    ]);
    expect(Object.keys(body.session!)).toEqual(['id', 'user', 'expiresAt', 'claims']);
  });

  it('has dates in ISO 8601 with milliseconds, with the exp of the JWT as expiresAt', async () => {
    const { client, clock } = await createTestServer({ engine });
    clock.advance(789);
    const browser = client();
    for (const path of ['/api/auth/signup', '/api/auth/signin']) {
      const { body } = await browser.post(path, ada);
      const exp = Number(readToken(browser.cookies.get('app.sid')!).payload['exp']);
      expect(body.expiresAt).toBe(new Date(exp * 1000).toISOString());
      expect(body.expiresAt).toBe('2026-01-01T00:01:00.000Z');
      expect(body.user).toMatchObject({ createdAt: '2026-01-01T00:00:00.789Z', updatedAt: '2026-01-01T00:00:00.789Z' });
      expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ expiresAt: body.expiresAt });
    }
  });

  it('is null, and never a 401, without a JWT, with an expired one and after signing out', async () => {
    const { client, clock } = await createTestServer({ engine });
    const browser = client();
    const isNull = async (): Promise<void> => {
      const { status, text, headers } = await browser.get('/api/auth/session');
      expect([status, text, headers.getSetCookie()]).toEqual([200, '{"session":null}', []]);
    };
    await isNull();
    await browser.post('/api/auth/signup', ada);
    const cookies = new Map(browser.cookies);
    clock.advance(60_000);
    await isNull();
    clock.advance(-60_000);
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    await browser.post('/api/auth/signout');
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    await isNull();
  });

  it('comes with the news that a refresh may give one, where there is none but a refresh token', async () => {
    const { client, clock } = await createTestServer({ engine });
    const browser = client();
    const isRefreshPossible = async (cookie?: string): Promise<string | null> => {
      const options = cookie === undefined ? {} : { headers: { cookie } };
      return (await browser.get('/api/auth/session', options)).headers.get('x-app-refresh');
    };
    expect(await isRefreshPossible()).toBeNull();
    await browser.post('/api/auth/signup', ada);
    expect(await isRefreshPossible()).toBeNull();
    clock.advance(60_000);
    expect(await isRefreshPossible()).toBe('possible');
    await browser.post('/api/auth/refresh');
    expect(await isRefreshPossible()).toBeNull();

    const token = browser.cookies.get('app.ref')!;
    expect(await isRefreshPossible(`app.ref=${token}`)).toBe('possible');
    // Whether a token is good, only a refresh finds out; these are none, which a refresh refuses.
    for (const cookie of ['app.ref=', `app.ref=${token}; app.ref=x`, `app.ref2=${token}`]) {
      expect(await isRefreshPossible(cookie)).toBeNull();
    }
    await browser.post('/api/auth/signout');
    expect(await isRefreshPossible()).toBeNull();
  });

  it('is returned without reading any store', async () => {
    const { server, client } = await createTestServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const { users, sessions, rateLimits, events, counters } = server.stores;
    const spies = [users, sessions, rateLimits, events, counters, server.stores].flatMap((store) =>
      Object.entries(store)
        .filter(([, member]) => typeof member === 'function')
        .map(([name]) => vi.spyOn(store, name as never)),
    );
    expect(spies.length).toBeGreaterThan(20);
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    expect((await client().get('/api/auth/session')).body.session).toBeNull();
    const headers = { cookie: `app.ref=${browser.cookies.get('app.ref')}` };
    expect((await client().get('/api/auth/session', { headers })).headers.get('x-app-refresh')).toBe('possible');
    expect((await client().get('/api/auth/.well-known/jwks.json')).status).toBe(200);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  it.each(['?userId=1', '?email=ada@example.com', '?admin=1&debug=true&session[user][role]=admin'])(
    'is null for the query %s and headers that claim an identity',
    async (query) => {
      const { client } = await createTestServer({ engine });
      const { body } = await client().post('/api/auth/signup', ada);
      const { id } = body.user;
      const headers = { 'x-user-id': id, 'x-forwarded-user': ada.email, 'remote-user': ada.email, 'x-role': 'admin' };
      expect((await client().get(`/api/auth/session${query}`, { headers })).body.session).toBeNull();
      for (const member of ['userId', 'id', 'session', 'skipPassword', 'token', 'provider', 'bypass']) {
        const { status } = await client().post('/api/auth/signin', { email: ada.email, [member]: id });
        expect(status).toBe(400);
        const wrong = { email: ada.email, password: 'wrong', [member]: id };
        expect((await client().post('/api/auth/signin', wrong, { headers })).headers.getSetCookie()).toEqual([]);
      }
    },
  );
});
