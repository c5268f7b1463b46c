import { ConfigurationError } from '@x/errors';
import { createServer } from '@x/server';
import { describe, expect, it } from 'vitest';
import { clearedSession } from '../../support/refresh-tokens.ts';
import { faultOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';
import { titled } from '../../support/titled.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe('the session cookies', () => {
  it('are HttpOnly, Secure and Lax, have their paths and ages, and no Domain', async () => {
    const { client } = await createTestServer();
    for (const path of ['/api/auth/signup', '/api/auth/signin']) {
      const { headers } = await client().post(path, ada);
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^app\.sid=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
        'app.ref=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
        'app.ref=; Max-Age=0; Path=/api; HttpOnly; Secure; SameSite=Lax',
        expect.stringMatching(/^app\.ref=[\w-]{70}; Max-Age=604800; Path=\/api\/auth; HttpOnly; Secure; SameSite=Lax$/),
      ]);
    }
  });

  it('are cleared by a sign-out with the same attributes, any number of times', async () => {
    const { client } = await createTestServer();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    for (let times = 0; times < 2; times++) {
      const { status, headers } = await browser.post('/api/auth/signout');
      expect([status, headers.getSetCookie()]).toEqual([200, clearedSession]);
    }
  });

  it('follow the configured lifetimes, SameSite and Secure', async () => {
    const cookie = { secure: false, sameSite: 'strict' } as const;
    const session = { strategy: 'jwt', algorithm: 'ES256', ttl: '2m', refreshTtl: '1h', cookie } as const;
    const { client } = await createTestServer({ auth: { session } });
    const attributes = (await client().post('/api/auth/signup', ada)).headers
      .getSetCookie()
      .filter((setCookie) => !setCookie.includes('Max-Age=0'))
      .map((setCookie) => setCookie.replace(/^[^;]+; /, ''));
    expect(attributes).toEqual([
      'Max-Age=120; Path=/; HttpOnly; SameSite=Strict',
      'Max-Age=3600; Path=/api/auth; HttpOnly; SameSite=Strict',
    ]);
  });

  it.each([{ secure: false }, { sameSite: 'none', secure: false } as const])(
    'cannot be configured as %j in production',
    async (cookie) => {
      const auth = { baseUrl: 'https://a.example', session: { strategy: 'jwt', algorithm: 'ES256', cookie } } as const;
      const started = createServer({ auth: { ...auth, ...generateKeys().pem } });
      await expect(started).rejects.toThrow(ConfigurationError);
      await expect(started).rejects.toThrow('session.cookie.secure');
    },
  );

  it('cannot be SameSite=None without Secure in development either', async () => {
    const session = { strategy: 'jwt', cookie: { sameSite: 'none', secure: false } } as const;
    await expect(createServer({ auth: { production: false, session } })).rejects.toThrow('session.cookie.sameSite');
  });
});

describe('the cookie header of a request', () => {
  it('is ignored with two different values of one cookie, but accepted with one value twice', async () => {
    const { client } = await createTestServer();
    const [browser, other] = [client(), client()];
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
    const [mine, theirs] = [browser, other].map(({ cookies }) => cookies.get('app.sid')!) as [string, string];
    const isSignedIn = async (cookie: string): Promise<boolean> =>
      (await client().get('/api/auth/session', { headers: { cookie } })).body.session !== null;

    expect(await isSignedIn(`app.sid=${mine}`)).toBe(true);
    expect(await isSignedIn(`app.sid=${mine}; app.sid=${mine}`)).toBe(true);
    for (const tossed of [theirs, 'x', '', `${mine}x`, `"${mine}"`]) {
      expect(await isSignedIn(`app.sid=${mine}; app.sid=${tossed}`)).toBe(false);
      expect(await isSignedIn(`app.sid=${tossed}; app.sid=${mine}`)).toBe(false);
      expect(await isSignedIn(`app.sid=${mine}; a=b; app.sid=${mine}; app.sid=${tossed}`)).toBe(false);
    }
  });

  it.each(engines)('signs no user out with two different refresh tokens, on %s', async (engine) => {
    const { client, clock } = await createTestServer({ engine });
    const [browser, other] = [client(), client()];
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
    const tokens = [browser, other].map(({ cookies }) => `app.ref=${cookies.get('app.ref')}`);
    const response = await client().post('/api/auth/signout', undefined, { headers: { cookie: tokens.join('; ') } });
    expect(response.status).toBe(200);
    clock.advance(1000);
    for (const signedIn of [browser, other]) {
      expect((await signedIn.get('/api/auth/session')).body.session).not.toBeNull();
    }
  });

  it('is ignored if its cookies have other names, however similar', async () => {
    const { client, server } = await createTestServer();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const port = await serve(server);
    const sid = browser.cookies.get('app.sid');
    const isSignedIn = async (cookie: string): Promise<boolean> =>
      (await exchange(port, encodeRequest('GET /api/auth/session', { headers: { Cookie: cookie } }))).body.session !==
      null;

    expect(await isSignedIn(`a=1;app.sid=${sid}`)).toBe(true);
    for (const name of ['APP.SID', 'app_sid', 'app.sid.', 'xapp.sid', '\u00a0app.sid', 'app.sid\u00a0', 'app%2Esid']) {
      expect(await isSignedIn(`${name}=${sid}`)).toBe(false);
      expect(await isSignedIn(`a=1; ${name}=${sid}`)).toBe(false);
    }
    for (const value of [`"${sid}"`, `${sid}\u00a0`, `\u00a0${sid}`, `${sid},`, `%20${sid}`, `${sid}%20`]) {
      expect(await isSignedIn(`app.sid=${value}`)).toBe(false);
    }
  });

  it.each(
    titled([
      ...['%', '%zz', '%00', '%C0%AF', '"', '"x', 'x"y"', '\\', '=', '====', '.', '..', '...', '{}', '[]', 'null'],
      ...['\u0080\u00ff\u00fe', '\u00c3\u00a9', 'x'.repeat(8000), `${'x'.repeat(3000)}.${'y'.repeat(3000)}.z`],
      ...['eyJ9.e30.', 'e30.e30.e30', `${'.'.repeat(7999)}`, 'j:{"a":1}', 's:x.y', '__proto__', 'constructor'],
    ]),
  )('identifies no user and causes no error with the cookie %s', async (_title, value) => {
    const { server } = await createTestServer();
    const port = await serve(server);
    for (const name of ['app.sid', 'app.ref', 'app.mfa']) {
      const headers = { Cookie: `a=1; ${name}=${value}; b` };
      const session = await exchange(port, encodeRequest('GET /api/auth/session', { headers }));
      expect([session.status, session.text]).toEqual([200, '{"session":null}']);
      const signedOut = await exchange(port, encodeRequest('POST /api/auth/signout', { headers }));
      expect([signedOut.status, faultOf(signedOut)]).toEqual([200, null]);
    }
  });
});
