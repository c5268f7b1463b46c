import { describe, expect, it } from 'vitest';
import {
  clearedSession,
  deriveToken,
  expectSessionExpired,
  isValidJwt,
  refreshWith,
  setCookie,
  storedHash,
  storedSession,
} from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const week = 7 * 86_400_000;

describe.each(engines)('a refresh on %s', (engine) => {
  it('returns the next refresh token and a fresh JWT of the same session and user', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    const { user } = (await browser.post('/api/auth/signup', ada)).body;
    const [firstJwt, first] = ['app.sid', 'app.ref'].map((name) => browser.cookies.get(name)!) as [string, string];
    const before = await storedSession(test, first);
    test.clock.advance(90_000);

    const response = await browser.post('/api/auth/refresh');
    const expiresAt = new Date(test.clock.now().getTime() + 60_000);
    expect([response.status, response.body]).toEqual([200, { user, expiresAt: expiresAt.toISOString() }]);
    const [jwt, next] = [setCookie(response, 'app.sid'), setCookie(response, 'app.ref')];
    expect(response.headers.getSetCookie()).toEqual([
      `app.sid=${jwt}; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax`,
      ...clearedSession.filter((cookie) => /^app\.ref=.* Path=\/(api)?;/.test(cookie)),
      `app.ref=${next}; Max-Age=604710; Path=/api/auth; HttpOnly; Secure; SameSite=Lax`,
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(next).not.toBe(first);
    const [oldClaims, claims] = [firstJwt, jwt].map((token) => readToken(token).payload);
    const { jti, iat, exp, ...lasting } = oldClaims!;
    expect(claims).toEqual({ ...lasting, jti: expect.any(String), iat: Number(iat) + 90, exp: Number(exp) + 90 });
    expect(claims!['jti']).not.toBe(jti);
    expect(await isValidJwt(test, jwt)).toBe(true);

    const now = test.clock.now();
    const tokens = { previousTokenHash: storedHash(first), refreshTokenHash: storedHash(next) };
    const after = await storedSession(test, next);
    expect(after).toEqual({ ...before, ...tokens, generation: 1, rotatedAt: now, lastActiveAt: now });
  });

  it('can be repeated along the whole chain, and stores none of its tokens', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    const seen = new Set([setCookie(await browser.post('/api/auth/signup', ada), 'app.ref')]);
    for (let generation = 1; generation <= 30; generation++) {
      test.clock.advance(59_000);
      const token = setCookie(await browser.post('/api/auth/refresh'), 'app.ref');
      expect(seen.size).toBe(seen.add(token).size - 1);
      const session = await storedSession(test, token);
      expect(session.generation).toBe(generation);
      for (const each of seen) expect(JSON.stringify(session)).not.toContain(each);
    }
  });

  it('fails at the very moment that was fixed at sign-in, however often it was repeated', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const { expiresAt } = await storedSession(test, browser.cookies.get('app.ref')!);
    expect(expiresAt.getTime() - test.clock.now().getTime()).toBe(week);
    const maxAges: (string | undefined)[] = [];
    const over: string[] = [];
    for (const [laterMs] of [[1], [week / 2], [week / 2 - 1002], [1000]] as const) {
      test.clock.advance(laterMs);
      const response = await browser.post('/api/auth/refresh');
      over.push(response.body.expiresAt);
      maxAges.push(/app\.ref=[^;]\S+ Max-Age=(\d+)/.exec(response.headers.getSetCookie().join())?.[1]);
    }
    expect(maxAges).toEqual(['604800', '302400', '2', '1']);
    // No JWT outlives the second in which the session ends.
    const end = new Date(Math.ceil(expiresAt.getTime() / 1000) * 1000).toISOString();
    expect(over.map((moment) => moment === end)).toEqual([false, false, true, true]);
    const last = browser.cookies.get('app.ref')!;
    const before = await storedSession(test, last);
    expect(before.expiresAt).toEqual(expiresAt);

    test.clock.advance(1);
    for (const generation of [4, 3, 2])
      expectSessionExpired(await refreshWith(test, deriveToken(test, before, generation)));
    expect(await storedSession(test, last)).toEqual(before);
  });

  it('reads the token from its cookie only', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const [jwt, token] = ['app.sid', 'app.ref'].map((name) => browser.cookies.get(name)!) as [string, string];
    const before = await storedSession(test, token);
    const elsewhere = [
      ['/api/auth/refresh', {}],
      ['/api/auth/refresh', { authorization: `Bearer ${token}` }],
      ['/api/auth/refresh', { authorization: `Bearer ${jwt}` }],
      ['/api/auth/refresh', { 'x-refresh-token': token, 'app.ref': token, 'x-app-ref': token }],
      ['/api/auth/refresh', { cookie: `app.sid=${token}; ref=${token}; App.Ref=${token}; app.ref.=${token}` }],
      ['/api/auth/refresh', { cookie: `app.ref=${jwt}` }],
      ['/api/auth/refresh', { cookie: 'app.ref=' }],
      [`/api/auth/refresh?app.ref=${token}&refreshToken=${token}&refresh_token=${token}`, {}],
    ] as const;
    for (const [path, headers] of elsewhere) {
      expectSessionExpired(await test.client().post(path, undefined, { headers }));
    }
    for (const body of [{ refreshToken: token }, { 'app.ref': token }, token]) {
      expect(refusalOf(await test.client().post('/api/auth/refresh', body))).toBe('VALIDATION_FAILED');
    }
    expect(await storedSession(test, token)).toEqual(before);
  });

  it('refuses two different tokens, but accepts one that is there twice', async () => {
    const test = await createTestServer({ engine });
    const [browser, other] = [test.client(), test.client()];
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signin', ada);
    const [mine, others] = [browser, other].map(({ cookies }) => cookies.get('app.ref')!) as [string, string];
    for (const cookie of [`app.ref=${mine}; app.ref=${others}`, `app.ref=x; app.ref=${mine}`]) {
      expectSessionExpired(await test.client().post('/api/auth/refresh', undefined, { headers: { cookie } }));
    }
    expect((await storedSession(test, mine)).generation).toBe(0);
    const twice = { cookie: `app.ref=${mine}; app.ref=${mine}` };
    expect((await test.client().post('/api/auth/refresh', undefined, { headers: twice })).status).toBe(200);
  });

  it.each(['an expired', "another user's", 'a broken', 'no'])(
    'depends on the refresh token alone, beside %s JWT',
    async (kind) => {
      const test = await createTestServer({ engine });
      const [browser, other] = [test.client(), test.client()];
      const { user } = (await browser.post('/api/auth/signup', ada)).body;
      await other.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
      if (kind === 'an expired') test.clock.advance(60_000);
      if (kind === "another user's") browser.cookies.set('app.sid', other.cookies.get('app.sid')!);
      if (kind === 'a broken') browser.cookies.set('app.sid', 'x.y.z');
      if (kind === 'no') browser.cookies.delete('app.sid');
      const response = await browser.post('/api/auth/refresh');
      expect([response.status, response.body.user]).toEqual([200, user]);
      expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user });
    },
  );

  it('does nothing for a foreign page, another method or another body, and changes no cookie', async () => {
    const test = await createTestServer({ engine });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const refused = [
      [{ method: 'POST', headers: { 'x-app-request': null } }, 'CSRF_FAILED'],
      [{ method: 'POST', headers: { origin: 'https://evil.example' } }, 'CSRF_FAILED'],
      [
        { method: 'POST', raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      [{ method: 'POST', raw: '{' }, 'INVALID_JSON'],
      [{ method: 'POST', body: [] }, 'VALIDATION_FAILED'],
      [{ method: 'GET' }, 'METHOD_NOT_ALLOWED'],
      [{ method: 'DELETE' }, 'METHOD_NOT_ALLOWED'],
    ] as const;
    for (const [request, code] of refused) {
      const response = await browser.send('/api/auth/refresh', request);
      expect([refusalOf(response), response.headers.getSetCookie()]).toEqual([code, []]);
    }
    expect((await storedSession(test, browser.cookies.get('app.ref')!)).generation).toBe(0);
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(200);
  });
});
