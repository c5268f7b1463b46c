import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServerOptions } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

type Headers = Readonly<Record<string, string | null>>;

/** Headers that no page of the app sends: without the CSRF headers, or with those of a foreign page. */
const foreignPages: readonly Headers[] = [
  { origin: null, 'x-app-request': null },
  { origin: 'https://evil.example', 'x-app-request': null, 'sec-fetch-site': 'cross-site' },
  { origin: 'null', 'x-app-request': null },
  { 'x-app-request': null },
  { origin: null },
];

/** Ada, who is signed in, and requests with her JWT from elsewhere. */
interface Caller {
  readonly token: string;
  readonly act: (line: string, headers: Headers) => Promise<TestResponse>;
  readonly countActive: () => Promise<number>;
  readonly advance: (milliseconds: number) => void;
  readonly signOut: () => Promise<unknown>;
}

async function createCaller(options: TestServerOptions = {}): Promise<Caller> {
  const { server, client, clock } = await createTestServer({ auth: createMailbox().auth, ...options });
  const browser = client();
  const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
  await client().post('/api/auth/signin', ada);
  return {
    token: browser.cookies.get('app.sid')!,
    act: (line, headers) => {
      const [method = '', path = ''] = line.split(' ');
      const raw = path === '/signin' || path === '/signup' ? { body: { ...ada, password: 'new horse battery' } } : {};
      return client().send(`/api/auth${path}`, { method, headers, ...raw });
    },
    countActive: () => server.stores.sessions.countActive(id as UserId),
    advance: (milliseconds) => clock.advance(milliseconds),
    signOut: () => browser.post('/api/auth/signout'),
  };
}

const outcomeOf = (response: TestResponse): string | number => (response.status === 200 ? 200 : refusalOf(response));

/** Routes that write for a caller; each is exempt if a bearer token identifies the caller. */
const exempt = [
  ['POST /resend-verification', 200],
  // These codes show that the CSRF check passed: the routes require a body, or the refresh token of the session.
  ['POST /change-password', 'UNSUPPORTED_MEDIA_TYPE'],
  ['POST /change-email', 'UNSUPPORTED_MEDIA_TYPE'],
  ['DELETE /account', 'SESSION_EXPIRED'],
  ['DELETE /sessions', 200],
  ['DELETE /sessions/00000000-0000-4000-8000-000000000000', 'SESSION_NOT_FOUND'],
  // A refresh reads a cookie, and a request with one is not exempt.
  ['POST /refresh', 'SESSION_EXPIRED'],
  ['POST /signout', 200],
] as const;

describe.each(engines)('a request without the CSRF headers of a page of the app, on %s,', (engine) => {
  it.each(foreignPages)('may write with a valid bearer token and no cookie of ours: %j', async (foreignPage) => {
    const { token, act, countActive } = await createCaller({ engine });
    for (const cookie of [null, 'theme=dark; sid=x', 'myapp.sid=x; a=app.sid']) {
      const headers = { ...foreignPage, cookie, authorization: `Bearer ${token}` };
      for (const [line, outcome] of exempt.slice(0, -1)) expect(outcomeOf(await act(line, headers))).toBe(outcome);
    }
    expect(await countActive()).toBe(1);
    const headers = { ...foreignPage, authorization: `Bearer ${token}` };
    expect(outcomeOf(await act('POST /signout', headers))).toBe(200);
    expect(await countActive()).toBe(0);
  });

  it.each(['/signup', '/signin', '/verify-email', '/forgot-password', '/reset-password'])(
    'is refused at POST %s, even with a valid bearer token',
    async (path) => {
      const { token, act, countActive } = await createCaller({ engine });
      for (const foreignPage of foreignPages) {
        const response = await act(`POST ${path}`, { ...foreignPage, authorization: `Bearer ${token}` });
        expect([outcomeOf(response), response.headers.getSetCookie()]).toEqual(['CSRF_FAILED', []]);
      }
      expect(await countActive()).toBe(2);
    },
  );
});

describe('a bearer token does not replace the CSRF headers', () => {
  it.each([
    ...['app.ref=x', 'app.sid=x', 'app.sid=', 'app.sid', 'app.mfa=x', 'app.oauth.0123=x', 'app.x=1', 'app.=1', 'app.'],
    ...[
      'theme=dark; app.ref=x',
      'theme=dark;app.ref=x',
      'theme=dark;\tapp.ref=x',
      'theme=dark;; app.ref',
      '"app.ref=x"',
    ],
    ...['theme=dark, app.ref=x', 'theme="a; app.ref=x"'],
  ])('beside the cookie %s', async (cookie) => {
    const { token, act, countActive } = await createCaller();
    for (const foreignPage of foreignPages) {
      for (const [line] of exempt) {
        const response = await act(line, { ...foreignPage, cookie, authorization: `Bearer ${token}` });
        expect([outcomeOf(response), response.headers.getSetCookie()]).toEqual(['CSRF_FAILED', []]);
      }
    }
    expect(await countActive()).toBe(2);
  });

  it('beside the cookies of the very session that it names', async () => {
    const { token, act, countActive } = await createCaller();
    const headers = { 'x-app-request': null, cookie: `app.sid=${token}`, authorization: `Bearer ${token}` };
    for (const [line] of exempt) expect(outcomeOf(await act(line, headers))).toBe('CSRF_FAILED');
    expect(await countActive()).toBe(2);
  });

  it.each([
    ['none', () => 'Bearer'],
    ['garbage', () => 'Bearer x'],
    ['without its scheme', (token: string) => token],
    ['under another scheme', (token: string) => `Basic ${token}`],
    ['sent twice', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['unsigned', (token: string) => `Bearer ${token.replace(/[^.]+$/, '')}`],
    ['tampered with', (token: string) => `Bearer ${token.slice(0, -4)}AAAA`],
  ])('if it is %s', async (_title, authorizationOf) => {
    const { token, act, countActive } = await createCaller();
    const headers = { 'x-app-request': null, authorization: authorizationOf(token) };
    for (const [line] of exempt) expect(outcomeOf(await act(line, headers))).toBe('CSRF_FAILED');
    expect(await countActive()).toBe(2);
  });

  it('if it is expired, revoked, or of another server', async () => {
    const over = await createCaller();
    over.advance(60_000);
    const revoked = await createCaller();
    await revoked.signOut();
    const foreign = { ...(await createCaller()), token: (await createCaller({ auth: generateKeys().pem })).token };
    for (const { token, act } of [over, revoked, foreign]) {
      const headers = { 'x-app-request': null, authorization: `Bearer ${token}` };
      for (const [line] of exempt) expect(outcomeOf(await act(line, headers))).toBe('CSRF_FAILED');
    }
  });
});

it('accepts a page of the app with its CSRF headers beside a bad bearer token and cookies', async () => {
  const { act, countActive } = await createCaller();
  const headers = { authorization: 'Bearer x', cookie: 'app.x=1' };
  expect(outcomeOf(await act('DELETE /sessions', headers))).toBe('UNAUTHENTICATED');
  expect(outcomeOf(await act('POST /signin', { authorization: 'Bearer x' }))).toBe('INVALID_CREDENTIALS');
  expect(await countActive()).toBe(2);
});
