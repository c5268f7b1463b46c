import { describe, expect, it } from 'vitest';
import { createTestServer, engines } from '../../support/test-server.ts';

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
