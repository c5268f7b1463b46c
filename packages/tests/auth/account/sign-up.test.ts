import { describe, expect, it, vi } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const password = 'correct horse battery';

describe.each(engines)('sign-up on %s', (engine) => {
  it('returns the user, sets both cookies, and stores user, hash, session and event', async () => {
    const { server, client } = await createTestServer({ engine });
    const browser = client();
    const { status, body } = await browser.post('/api/auth/signup', { email: 'ada@example.com', password });
    expect(status).toBe(201);
    expect([...browser.cookies.keys()]).toEqual(['app.sid', 'app.ref']);

    const user = await server.stores.users.findByLoginEmail('ada@example.com');
    expect(user).toMatchObject({ id: body.user.id, passwordHash: expect.stringMatching(/^\$scrypt\$/) });
    const [session] = await server.stores.sessions.listActive(user!.id);
    expect(session).toMatchObject({ userId: user!.id, generation: 0, revokedAt: null });
    const events = await server.stores.events.listByUser(user!.id, { limit: 10, after: null });
    expect(events.items).toEqual([expect.objectContaining({ type: 'user.created', sessionId: session!.id })]);
  });

  it('stores nothing if the session cannot be stored', async () => {
    const { server, client } = await createTestServer({ engine });
    const transaction = server.stores.transaction.bind(server.stores);
    const create = (): Promise<never> => Promise.reject(new Error('disk full'));
    vi.spyOn(server.stores, 'transaction').mockImplementationOnce((work) =>
      transaction((stores) => work({ ...stores, sessions: { ...stores.sessions, create } })),
    );
    const response = await client().post('/api/auth/signup', { email: 'ada@example.com', password });
    expect([response.status, response.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await server.stores.users.findByLoginEmail('ada@example.com')).toBeNull();
    expect((await client().post('/api/auth/signup', { email: 'ada@example.com', password })).status).toBe(201);
  });

  it('creates one account for 100 parallel sign-ups with one address, however it is spelled', async () => {
    const { server, client } = await createTestServer({ engine });
    const spellings = [
      'ada@example.com',
      'ADA@Example.COM',
      ' ada@example.com\t',
      'ａｄａ@example.com',
      'Ada@ｅxample.com',
    ];
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client().post('/api/auth/signup', { email: spellings[index % spellings.length], password }),
      ),
    );
    const [created, ...others] = responses.toSorted((a, b) => a.status - b.status);
    expect(created?.status).toBe(201);
    expect(new Set(others.map(refusalOf))).toEqual(new Set(['USER_EXISTS']));
    const user = await server.stores.users.findByLoginEmail('ada@example.com');
    expect(user?.id).toBe(created?.body.user.id);
    expect(await server.stores.sessions.countActive(user!.id)).toBe(1);
  });

  it('stores the canonical address, and finds the account by every spelling of it', async () => {
    const { client } = await createTestServer({ engine });
    const email = ' Ａda.Lovelace@Éxample.COM ';
    const signedUp = await client().post('/api/auth/signup', { email, password });
    expect(signedUp.body.user.email).toBe('ada.lovelace@éxample.com');
    for (const spelling of [email, 'ADA.LOVELACE@E\u0301XAMPLE.COM', 'ada.lovelace@éxample.com']) {
      const signedIn = await client().post('/api/auth/signin', { email: spelling, password });
      expect(signedIn.body.user.id).toBe(signedUp.body.user.id);
      expect(refusalOf(await client().post('/api/auth/signup', { email: spelling, password }))).toBe('USER_EXISTS');
    }
  });

  it.each([
    ['\u03A9\u0301\u0345@example.com', '\u1FF4@example.com'],
    ['ΟΔΥΣΣΕΥΣ@example.com', 'οδυσσευς@example.com'],
    ['\u1C82na@example.com', '\u041ENA@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
  ])('creates one account for %s and %s, which lowercasing alone keeps apart', async (one, other) => {
    const { client } = await createTestServer({ engine });
    const { id } = (await client().post('/api/auth/signup', { email: one, password })).body.user;
    for (const email of [one, other, one.toUpperCase(), other.normalize('NFD')]) {
      expect(refusalOf(await client().post('/api/auth/signup', { email, password }))).toBe('USER_EXISTS');
      expect((await client().post('/api/auth/signin', { email, password })).body.user.id).toBe(id);
    }
  });

  it('sets no cookie and changes nothing if the address has an account', async () => {
    const { server, client } = await createTestServer({ engine });
    await client().post('/api/auth/signup', { email: 'ada@example.com', password });
    const before = await server.stores.users.findByLoginEmail('ada@example.com');
    const response = await client().post('/api/auth/signup', {
      email: 'ada@example.com',
      password: 'another password',
    });
    expect(refusalOf(response)).toBe('USER_EXISTS');
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await server.stores.users.findByLoginEmail('ada@example.com')).toEqual(before);
    expect(await server.stores.sessions.countActive(before!.id)).toBe(1);
  });
});

const ada = { email: 'Ada@Example.com', password: 'correct horse battery' };

describe.each(engines)('authentication on %s', (engine) => {
  it('lets a user sign up, read the session, sign out and sign in again', async () => {
    const { client, clock } = await createTestServer({ engine });
    const browser = client();

    const signedUp = await browser.post('/api/auth/signup', ada);
    expect(signedUp.status).toBe(201);
    expect(signedUp.body).toEqual({
      user: {
        id: expect.any(String),
        email: 'ada@example.com',
        emailVerified: true,
        role: 'user',
        tenantId: null,
        createdAt: clock.now().toISOString(),
        updatedAt: clock.now().toISOString(),
      },
      expiresAt: new Date(clock.now().getTime() + 60_000).toISOString(),
    });
    expect([...browser.cookies.keys()]).toEqual(['app.sid', 'app.ref']);

    const session = await browser.get('/api/auth/session');
    expect(session.body).toEqual({
      session: {
        id: expect.any(String),
        user: signedUp.body.user,
        expiresAt: signedUp.body.expiresAt,
        claims: {},
      },
    });

    const stolen = new Map(browser.cookies);
    const signedOut = await browser.post('/api/auth/signout');
    expect([signedOut.status, signedOut.body]).toEqual([200, { ok: true }]);
    expect(browser.cookies.size).toBe(0);
    expect((await browser.post('/api/auth/signout')).status).toBe(200);

    for (const [name, value] of stolen) browser.cookies.set(name, value);
    expect((await browser.get('/api/auth/session')).body).toEqual({ session: null });

    const signedIn = await client().post('/api/auth/signin', { ...ada, email: ' ADA@example.COM ' });
    expect([signedIn.status, signedIn.body.user.id]).toEqual([200, signedUp.body.user.id]);
  });
});
