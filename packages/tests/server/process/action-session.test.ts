import { callerOf } from '@x/auth';
import { withSetCookies } from '@x/auth/guards';
import { unwrap } from '@x/errors';
import { requireActionRequest, requireActionSession, runAuthStep, sessionOf } from '@x/server/next';
import { expect, it } from 'vitest';
import { createMfaServer, enrol } from '../../support/second-factor.ts';
import { createTestServer } from '../../support/test-server.ts';

// The test of the packed examples sees it renew sessions, which takes Next.

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

it('gives a Server Action the session of its caller, if a page of the app calls it', async () => {
  const session = { strategy: 'jwt', algorithm: 'ES256', cookie: { refreshPath: '/' } } as const;
  const { server, client } = await createTestServer({
    auth: { session, trustedOrigins: ['https://admin.example.com'] },
  });
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const outcomeOf = (headers: Readonly<Record<string, string>>): Promise<string> =>
    requireActionSession(server, new Headers(headers)).then(
      ({ user }) => user.email,
      ({ code }: { readonly code: string }) => code,
    );

  const host = 'localhost:3000';
  const origin = `http://${host}`;
  expect(await outcomeOf({ cookie, origin, host })).toBe(ada.email);
  expect(await outcomeOf({ cookie, origin })).toBe(ada.email);
  expect(await outcomeOf({ cookie, origin: 'https://admin.example.com', 'sec-fetch-site': 'cross-site' })).toBe(
    ada.email,
  );
  expect(await outcomeOf({ cookie, origin: 'http://127.0.0.1:4000', host: '127.0.0.1:4000' })).toBe(ada.email);
  expect(await outcomeOf({ origin, host })).toBe('UNAUTHENTICATED');
  expect(await outcomeOf({ cookie, host })).toBe('CSRF_FAILED');
  for (const other of ['https://evil.example', 'http://localhost:3001', 'null']) {
    expect(await outcomeOf({ cookie, origin: other, host })).toBe('CSRF_FAILED');
  }
});

it('gives a page the session of its request, and none to a visitor', async () => {
  const { server, client } = await createTestServer();
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  expect((await sessionOf(server, new Headers({ cookie })))?.user.email).toBe(ada.email);
  expect(await sessionOf(server, new Headers())).toBeNull();
});

it('gives a Server Action a caller with the second factor of the session, which clients are not told', async () => {
  const session = { strategy: 'jwt', algorithm: 'ES256', ttl: '6h', cookie: { refreshPath: '/' } } as const;
  const test = await createMfaServer({ auth: { session } });
  const { browser, userId, nextCode } = await enrol(test);
  const callerNow = async () => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const origin = 'http://localhost:3000';
    return callerOf(await requireActionSession(test.server, new Headers({ cookie, host: 'localhost:3000', origin })));
  };
  expect(await callerNow()).toMatchObject({ userId, role: 'user', tenantId: null, secondFactorAt: null });
  await browser.post('/api/auth/mfa/step-up', { code: nextCode() });
  const secondFactorAt = new Date(Math.floor(test.clock.now().getTime() / 1000) * 1000);
  expect(await callerNow()).toMatchObject({ userId, secondFactorAt });
  const { body } = await browser.get('/api/auth/session');
  expect(Object.keys(body.session ?? {}).sort()).toEqual(['claims', 'expiresAt', 'id', 'user']);
});

it('takes a step of auth for a Server Action, and answers with its result, only from a page of the app', async () => {
  const { server, client } = await createTestServer();
  await client().post('/api/auth/signup', ada);
  const signIn = (origin: string) => {
    const headers = new Headers({ host: 'localhost:3000', origin });
    const wrong = { ...ada, password: 'battery horse correct' };
    return runAuthStep(server, (request) => server.auth.api.signIn(wrong, request), headers);
  };
  expect(await signIn('http://localhost:3000')).toMatchObject({ ok: false, error: { code: 'INVALID_CREDENTIALS' } });
  await expect(signIn('https://evil.example')).rejects.toMatchObject({ code: 'CSRF_FAILED' });
});

it('lets a Server Action sign in, with the address of its client, only from a page of the app', async () => {
  const { server, client } = await createTestServer({ auth: { trustProxy: 1 } });
  await client().post('/api/auth/signup', ada);
  const host = 'localhost:3000';
  const own = { host, origin: `http://${host}`, 'user-agent': 'Firefox', 'x-forwarded-for': '198.51.100.9, 192.0.2.1' };
  const request = await requireActionRequest(server, new Headers(own));
  expect(request.ipAddress).toBe('192.0.2.1');
  const { cookies } = unwrap(await server.auth.api.signIn(ada, request));
  const sessions = unwrap(await server.auth.api.listSessions(withSetCookies(new Headers(), cookies)));
  expect(sessions.find(({ isCurrent }) => isCurrent)).toMatchObject({ ipAddress: '192.0.2.1', deviceName: 'Firefox' });
  const evil = new Headers({ ...own, origin: 'https://evil.example' });
  await expect(requireActionRequest(server, evil)).rejects.toMatchObject({ code: 'CSRF_FAILED' });
});
