import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { clearedSession } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer, type TestServerOptions } from '../../support/test-server.ts';
import { generateKeys, readToken } from '../../support/token-forge.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const password = 'correct horse battery';

/** Two sessions of Ada and one of Eve, and requests without their cookies. */
interface Callers extends TestServer {
  readonly token: string;
  readonly otherSid: string;
  readonly evesToken: string;
  /** Sends one request as a page of the app would, with these headers and without cookies. */
  readonly send: (line: string, headers?: Readonly<Record<string, string | null>>) => Promise<TestResponse>;
  readonly countActive: () => Promise<number>;
}

async function createCallers(options: TestServerOptions = {}): Promise<Callers> {
  const server = await createTestServer(options);
  const tokenOf = ({ cookies }: TestClient): string => cookies.get('app.sid')!;
  const [ada, other, eve] = [server.client(), server.client(), server.client()];
  const { id } = (await ada.post('/api/auth/signup', { email: 'ada@example.com', password })).body.user;
  await other.post('/api/auth/signin', { email: 'ada@example.com', password });
  await eve.post('/api/auth/signup', { email: 'eve@example.com', password });
  return {
    ...server,
    token: tokenOf(ada),
    otherSid: String(readToken(tokenOf(other)).payload['sid']),
    evesToken: tokenOf(eve),
    send: (line, headers = {}) => {
      const [method = '', path = ''] = line.split(' ');
      return server.client().send(`/api/auth${path}`, { method, headers });
    },
    countActive: () => server.server.stores.sessions.countActive(id as UserId),
  };
}

/** The routes that identify the caller, with their outcome for an anonymous one. */
const routes = [
  ['GET /session', 'anonymous'],
  ['GET /sessions', 'UNAUTHENTICATED'],
  ['DELETE /sessions', 'UNAUTHENTICATED'],
  ['DELETE /sessions/00000000-0000-4000-8000-000000000000', 'UNAUTHENTICATED'],
  ['POST /signout', 200],
] as const;

function outcomeOf(response: TestResponse): string | number {
  if (response.status !== 200) return refusalOf(response);
  return response.body.session === null ? 'anonymous' : 200;
}

describe.each(engines)('a bearer token on %s', (engine) => {
  it('is accepted wherever the cookie is', async () => {
    const { token, otherSid, send, countActive } = await createCallers({ engine });
    const authorization = `Bearer ${token}`;
    expect((await send('GET /session', { authorization })).body.session).toMatchObject({
      id: readToken(token).payload['sid'],
      user: { email: 'ada@example.com' },
    });
    const { body } = await send('GET /sessions', { authorization });
    expect(body).toHaveProperty('sessions.length', 2);
    expect(body).toMatchObject({ sessions: expect.arrayContaining([expect.objectContaining({ id: otherSid })]) });
    expect(outcomeOf(await send('DELETE /sessions/none', { authorization }))).toBe('SESSION_NOT_FOUND');
    expect((await send(`DELETE /sessions/${otherSid}`, { authorization })).status).toBe(200);
    expect((await send('DELETE /sessions', { authorization })).body).toEqual({ ok: true, revoked: 0 });
    expect(await countActive()).toBe(1);
    expect((await send('POST /signout', { authorization })).status).toBe(200);
    expect(await countActive()).toBe(0);
    expect((await send('GET /session', { authorization })).body.session).toBeNull();
    expect(outcomeOf(await send('GET /sessions', { authorization }))).toBe('UNAUTHENTICATED');
  });

  it.each(['expired', 'tampered', 'foreign', 'revoked', 'refresh'])(
    'identifies no caller if it is %s',
    async (kind) => {
      const { client, clock, token, send, countActive } = await createCallers({ engine });
      const browser = client();
      await browser.post('/api/auth/signup', { email: 'bob@example.com', password });
      const bobs = browser.cookies.get('app.sid')!;
      if (kind === 'revoked') await browser.post('/api/auth/signout');
      if (kind === 'expired') clock.advance(60_000);
      const bad: Readonly<Record<string, string>> = {
        expired: token,
        tampered: token.replace(/\.(.)/, (_, first: string) => `.${first === 'a' ? 'b' : 'a'}`),
        foreign: (await createCallers({ auth: generateKeys().pem })).token,
        revoked: bobs,
        refresh: browser.cookies.get('app.ref') ?? '',
      };
      for (const [line, outcome] of routes) {
        const response = await send(line, { authorization: `Bearer ${bad[kind]}` });
        expect(outcomeOf(response)).toBe(outcome);
        // A sign-out clears cookies for any credential.
        expect(response.headers.getSetCookie()).toEqual(line === 'POST /signout' ? clearedSession : []);
      }
      expect(await countActive()).toBe(2);
    },
  );
});

describe('a bearer token beside an app.sid cookie', () => {
  const cookies: readonly (readonly [string, (callers: Callers) => string])[] = [
    ['bad', () => 'app.sid=bad'],
    ['empty', () => 'app.sid='],
    ['without a value', () => 'app.sid'],
    ['blank', () => 'app.sid=  ; a=b'],
    ['ambiguous', ({ token, evesToken }) => `app.sid=${token}; app.sid=${evesToken}`],
    ['ambiguously empty', ({ token }) => `app.sid=; app.sid=${token}`],
    ['in quotes', ({ token }) => `app.sid="${token}"`],
    ['among others', () => 'theme=dark; app.ref=x;app.sid=bad; z=1'],
    ['wrapped in blanks', () => 'a=b; \tapp.sid\t = bad'],
  ];

  it.each(cookies)('is ignored if the cookie is %s', async (_title, cookieOf) => {
    const callers = await createCallers();
    const { token, send, countActive } = callers;
    const headers = { authorization: `Bearer ${token}`, cookie: cookieOf(callers) };
    for (const [line, outcome] of routes) {
      const response = await send(line, headers);
      expect(outcomeOf(response)).toBe(outcome);
    }
    expect(await countActive()).toBe(2);
  });

  it('is ignored if the cookie belongs to another user', async () => {
    const { token, evesToken, send, countActive } = await createCallers();
    const headers = { authorization: `Bearer ${token}`, cookie: `app.sid=${evesToken}` };
    expect((await send('GET /session', headers)).body.session).toMatchObject({ user: { email: 'eve@example.com' } });
    await send('POST /signout', headers);
    expect(await countActive()).toBe(2);
    expect((await send('GET /session', headers)).body.session).toBeNull();
  });

  it.each(['app.ref=x', 'theme=dark', 'sid=x', 'APP.SID=x', 'app.sidx=x', 'xapp.sid=x', 'a="app.sid=x"', ''])(
    'is accepted if the cookies have other names: %s',
    async (cookie) => {
      const { token, send } = await createCallers();
      const response = await send('GET /session', { authorization: `Bearer ${token}`, cookie });
      expect(response.body.session).toMatchObject({ user: { email: 'ada@example.com' } });
    },
  );
});

describe('an Authorization header', () => {
  it.each([
    ...[
      'TOKEN',
      'Basic TOKEN',
      'Token TOKEN',
      'Bearer',
      'BearerTOKEN',
      'Bearer:TOKEN',
      'Bearer\tTOKEN',
      'Bearer=TOKEN',
    ],
    ...[
      'Bearer TOKEN TOKEN',
      'Bearer TOKEN,TOKEN',
      'Bearer TOKEN, Bearer TOKEN',
      'Bearer x, Bearer TOKEN',
      'Bearer ,TOKEN',
    ],
    ...[
      'Bearer TOKEN;',
      'Bearer TOKEN=',
      'Bearer TOKEN==',
      'Bearer TOKEN.',
      'Bearer "TOKEN"',
      'Bearer TOKEN\u00e9',
      '\u00e9 TOKEN',
    ],
    ...[
      'Bearer \u00a0TOKEN',
      'Bearer TOKEN\u00a0',
      'Bearer x TOKEN',
      'Bearer token=TOKEN',
      'Basic eDp5, Bearer TOKEN',
      'Bearer Bearer TOKEN',
    ],
  ])('identifies no caller and causes no error as %j', async (template) => {
    const { server, token, countActive } = await createCallers();
    const port = await serve(server);
    const headers = { Authorization: template.replaceAll('TOKEN', token) };
    for (const [line, outcome] of routes) {
      const response = await exchange(port, encodeRequest(line.replace(' ', ' /api/auth'), { headers }));
      expect(outcomeOf(response)).toBe(outcome);
    }
    expect(await countActive()).toBe(2);
  });

  it.each(['bearer TOKEN', 'BEARER TOKEN', 'Bearer    TOKEN', ' Bearer TOKEN\t'])(
    'is accepted as %j',
    async (template) => {
      const { server, token } = await createCallers();
      const headers = { Authorization: template.replaceAll('TOKEN', token) };
      const response = await exchange(await serve(server), encodeRequest('GET /api/auth/session', { headers }));
      expect(response.body.session).not.toBeNull();
    },
  );

  it('causes no error if it is sent twice or is very long', async () => {
    const { server, token } = await createCallers();
    const port = await serve(server);
    const twice = encodeRequest('GET /api/auth/sessions', {
      headers: { Authorization: `Bearer ${token}\r\nAuthorization: Bearer ${token}` },
    });
    // Node keeps the first of two headers; either way, one that was verified counts.
    expect([200, 'UNAUTHENTICATED']).toContain(outcomeOf(await exchange(port, twice)));
    for (const long of [
      'x'.repeat(12_000),
      `${token}${'A'.repeat(10_000)}`,
      `${'.'.repeat(10_000)}`,
      `${token}.`.repeat(20),
    ]) {
      const headers = { Authorization: `Bearer ${long}` };
      expect(outcomeOf(await exchange(port, encodeRequest('GET /api/auth/sessions', { headers })))).toBe(
        'UNAUTHENTICATED',
      );
    }
  });
});
