import type { Auth, AuthRoute } from '@x/auth';
import type { Result } from '@x/errors';
import type { SessionId } from '@x/store';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { deriveToken, refreshWith } from '../../support/refresh-tokens.ts';
import { type MailedTokens, readAccount, storeMailTokens } from '../../support/stored-account.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { engines } from '../../support/test-server.ts';
import { totpCode } from '../../support/totp-code.ts';
import {
  type Account,
  type AccountOptions,
  createAccount,
  createWholeServer,
  rotate,
  type WholeServer,
} from '../../support/whole-server.ts';

/**
 * The credential that a route asks of its caller, in the words of the design:
 *
 * - `nothing`: any client may call it.
 * - `JWT`: the JWT alone. Reading and ending sessions.
 * - `session token`: the session's own refresh token beside the JWT, current or within grace. Minting a token for a
 *   session, and changing how the account is signed in to.
 * - `fresh proof`: the session's refresh token, and a proof in this session that is at most 300 s old. Where a second
 *   factor is on, the proof has to include it.
 * - `refresh token`: the refresh token alone, of any session.
 * - `challenge`: the cookie of a sign-in that waits for its second factor.
 */
type Demand = 'nothing' | 'JWT' | 'session token' | 'fresh proof' | 'refresh token' | 'challenge';

/** A route, its demand, and a request that succeeds where that is met. */
interface Row {
  readonly demand: Demand;
  /** The path, where it is not the route's. */
  readonly path?: (account: Account) => string;
  readonly body?: (account: Account, test: WholeServer) => object | Promise<object>;
  /** The answer where the demand is met: a status, or a code. Default 200. */
  readonly answer?: string | ((account: Pick<AccountOptions, 'hasFactor'>) => string);
  /** The account that it is called for. */
  readonly account?: AccountOptions;
  /** The same in process: it refuses the same headers with the same code. */
  readonly inProcess?: (api: Auth['api'], request: Headers, input: never) => Promise<Result<unknown>>;
}

const code = ({ code: next }: Account): object => ({ code: next() });
const ifOn = ({ hasFactor }: AccountOptions): string => (hasFactor ? '200' : 'MFA_NOT_ENABLED');
const proof = (account: Account): object =>
  account.backupCodes.length > 0 ? { code: account.code() } : { password: account.password };
const newPassword = 'another horse battery';

/** Every route of auth. A route that is not here fails the tests: decide first what it asks for. */
const rows: Readonly<Record<string, Row>> = {
  'POST /signup': {
    demand: 'nothing',
    body: () => ({ email: `${crypto.randomUUID()}@example.com`, password: newPassword }),
    answer: '201',
  },
  'POST /signin': {
    demand: 'nothing',
    body: ({ email, password }) => ({ email, password }),
    answer: ({ hasFactor }) => (hasFactor ? 'MFA_REQUIRED' : '200'),
  },
  'POST /signout': { demand: 'nothing' },
  'GET /session': { demand: 'nothing' },
  'GET /.well-known/jwks.json': { demand: 'nothing' },
  'GET /providers': { demand: 'nothing' },
  'POST /verify-email': { demand: 'nothing', body: () => ({ token: 'x' }), answer: 'TOKEN_INVALID' },
  'POST /forgot-password': { demand: 'nothing', body: () => ({ email: 'nobody@example.com' }) },
  'POST /reset-password': {
    demand: 'nothing',
    body: () => ({ token: 'x', password: newPassword }),
    answer: 'TOKEN_INVALID',
  },
  'GET /oauth/:provider': { demand: 'nothing', path: () => '/oauth/google', answer: '302' },
  'GET /oauth/:provider/callback': { demand: 'nothing', path: () => '/oauth/google/callback?code=x', answer: '302' },

  'POST /refresh': { demand: 'refresh token' },
  'POST /mfa/challenge': { demand: 'challenge', body: code },

  'GET /sessions': { demand: 'JWT' },
  'DELETE /sessions': { demand: 'JWT' },
  'DELETE /sessions/:id': { demand: 'JWT', path: ({ otherSessionId }) => `/sessions/${otherSessionId}` },
  'GET /events': { demand: 'JWT' },
  'GET /oauth-accounts': { demand: 'JWT' },
  'GET /mfa/status': { demand: 'JWT' },
  'GET /tenants': { demand: 'JWT' },
  'GET /access-set': { demand: 'JWT' },
  'POST /resend-verification': { demand: 'JWT' },

  'POST /switch-tenant': {
    demand: 'session token',
    body: () => ({ tenantId: 'two' }),
    inProcess: (api, request, input) => api.switchTenant(input, request),
  },
  'POST /confirm': {
    demand: 'session token',
    body: proof,
    inProcess: (api, request, input) => api.confirm(input, request),
  },
  'POST /change-password': {
    demand: 'session token',
    body: ({ password }) => ({ currentPassword: password, newPassword }),
    inProcess: (api, request, input) => api.changePassword(input, request),
  },
  'POST /mfa/step-up': {
    demand: 'session token',
    body: code,
    answer: ifOn,
    inProcess: (api, request, input) => api.mfa.stepUp(input, request),
  },
  'POST /mfa/disable': {
    demand: 'session token',
    body: code,
    answer: ifOn,
    inProcess: (api, request, input) => api.mfa.disable(input, request),
  },
  'POST /mfa/backup-codes': {
    demand: 'session token',
    body: code,
    answer: ifOn,
    inProcess: (api, request, input) => api.mfa.backupCodes(input, request),
  },
  'POST /change-password, the first': {
    demand: 'fresh proof',
    body: () => ({ newPassword }),
    account: { hasPassword: false },
    inProcess: (api, request, input) => api.changePassword(input, request),
  },
  'POST /change-email': {
    demand: 'fresh proof',
    body: () => ({ email: `${crypto.randomUUID()}@example.com` }),
    inProcess: (api, request, input) => api.changeEmail(input, request),
  },
  'POST /oauth/:provider/link': {
    demand: 'fresh proof',
    path: () => '/oauth/discord/link',
    inProcess: (api, request) => api.oauth.startLink('discord', {}, request),
  },
  'DELETE /oauth-accounts/:provider': {
    demand: 'fresh proof',
    path: () => '/oauth-accounts/google',
    inProcess: (api, request) => api.oauth.unlink('google', request),
  },
  'POST /mfa/setup': {
    demand: 'fresh proof',
    answer: ({ hasFactor }) => (hasFactor ? 'MFA_ALREADY_ENABLED' : '200'),
    inProcess: (api, request) => api.mfa.setup(request),
  },
  'POST /mfa/verify-setup': {
    demand: 'fresh proof',
    body: async ({ otherBrowser }, { clock }) => {
      const { body } = await otherBrowser.post('/api/auth/mfa/setup');
      return { code: body.secret === undefined ? '123456' : totpCode(body.secret, clock.now()) };
    },
    answer: ({ hasFactor }) => (hasFactor ? 'MFA_NOT_ENABLED' : '200'),
    inProcess: (api, request, input) => api.mfa.verifySetup(input, request),
  },
  'DELETE /account': { demand: 'fresh proof', inProcess: (api, request) => api.deleteAccount({}, request) },
};

/** The routes that begin a session, and `/refresh`: nothing else ever sends a refresh token. */
const sendsRefreshToken: ReadonlySet<string> = new Set([
  ...['POST /signup', 'POST /signin', 'POST /refresh', 'POST /mfa/challenge', 'GET /oauth/:provider/callback'],
]);

/** The routes that clear the session cookies. */
const clearsSession: ReadonlySet<string> = new Set(['POST /signout', 'DELETE /account', 'POST /refresh']);

/** The routes that clear the cookies that they refuse; all others leave them alone. */
const clearsWhatItRefuses: ReadonlySet<string> = new Set(['POST /refresh', 'POST /mfa/challenge']);

/** The credentials that a caller sends. */
interface Sent {
  readonly jwt?: string;
  readonly bearer?: string;
  readonly refreshTokens?: readonly string[];
}

/** A kind of caller: the credentials that it sends, and their worth. */
interface Credential {
  readonly sends: (caller: Caller, test: WholeServer) => Sent | Promise<Sent>;
  readonly hasJwt?: false;
  /** Whether the refresh token is the session's own, and good. */
  readonly hasRefreshToken?: true;
  /** Whether the session proves who they are; where a second factor is on, with it. */
  readonly isFresh?: true;
  /** The answer of `/refresh` to the refresh token. Default `refused`. */
  readonly refresh?: 'accepted' | 'reused';
  readonly account?: AccountOptions;
}

/** An account with a session that was refreshed twice. */
interface Caller extends Account {
  readonly options: AccountOptions;
  readonly jwt: string;
  /** The refresh token of a generation before the current one. */
  readonly token: (behind: number) => Promise<string>;
  readonly watched: { readonly sessionIds: readonly SessionId[]; readonly mailed: MailedTokens };
}

const withToken = { hasRefreshToken: true, refresh: 'accepted' } as const;
const old = 301_000;

const credentials: Readonly<Record<string, Credential>> = {
  nothing: { sends: () => ({}), hasJwt: false },
  'the JWT alone, as a cookie': { sends: ({ jwt }) => ({ jwt }) },
  'the JWT alone, as a bearer token': { sends: ({ jwt: bearer }) => ({ bearer }) },
  'the refresh token alone': {
    sends: async ({ token }) => ({ refreshTokens: [await token(0)] }),
    hasJwt: false,
    refresh: 'accepted',
  },
  "a bearer token beside the session's refresh token": {
    ...withToken,
    isFresh: true,
    sends: async ({ jwt: bearer, token }) => ({ bearer, refreshTokens: [await token(0)] }),
  },
  'the refresh token of another session of the same user': {
    sends: ({ jwt, otherBrowser }) => ({ jwt, refreshTokens: [otherBrowser.cookies.get('app.ref')!] }),
    refresh: 'accepted',
  },
  'the refresh token of another user': {
    sends: async ({ jwt }, test) => {
      const { browser } = await createAccount(test);
      return { jwt, refreshTokens: [browser.cookies.get('app.ref')!] };
    },
    refresh: 'accepted',
  },
  'a forged refresh token': {
    sends: async ({ jwt, token }) => ({ jwt, refreshTokens: [forge(await token(0))] }),
  },
  'two different refresh tokens, one of them good': {
    sends: async ({ jwt, token }) => ({ jwt, refreshTokens: [await token(0), forge(await token(0))] }),
  },
  'the previous refresh token, within its grace period': {
    ...withToken,
    isFresh: true,
    sends: async ({ jwt, token }) => ({ jwt, refreshTokens: [await token(1)] }),
  },
  'the previous refresh token, after its grace period': {
    sends: async ({ jwt, token }, { clock }) => {
      clock.advance(10_000);
      return { jwt, refreshTokens: [await token(1)] };
    },
    refresh: 'reused',
  },
  'an older refresh token': {
    sends: async ({ jwt, token }) => ({ jwt, refreshTokens: [await token(2)] }),
    refresh: 'reused',
  },
  'the refresh token, with a fresh proof': { ...withToken, isFresh: true, sends: currentTokens },
  'the refresh token, with a proof of 300 s ago': {
    ...withToken,
    isFresh: true,
    sends: (caller, test) => aged(caller, test, 300_000),
  },
  'the refresh token, with a proof over 300 s old': {
    ...withToken,
    sends: (caller, test) => aged(caller, test, old),
  },
  'the refresh token, fresh by a password, with a second factor turned on since': {
    ...withToken,
    sends: currentTokens,
    account: { hasFactor: true },
  },
  'the refresh token, fresh by a code': {
    ...withToken,
    isFresh: true,
    sends: async (caller, { server }) => {
      await server.stores.sessions.setAuthenticated(caller.sessionId, 'code');
      return currentTokens(caller);
    },
    account: { hasFactor: true },
  },
  'the refresh token, by a code over 300 s ago': {
    ...withToken,
    sends: async (caller, test) => {
      await test.server.stores.sessions.setAuthenticated(caller.sessionId, 'code');
      return aged(caller, test, old);
    },
    account: { hasFactor: true },
  },
};

describe.each(engines)('auth on %s, for a caller with', (engine) => {
  it('any credential, has no route that is not listed here', async () => {
    const { server } = await createWholeServer({ engine });
    const known = Object.keys(rows).map((title) => title.split(',', 1)[0]);
    expect(new Set(known)).toEqual(new Set(server.auth.routes.map(titleOf)));
  });

  it('any credential, is asked for the same in process', () => {
    const demanding = Object.entries(rows).filter(
      ([, { demand }]) => demand === 'session token' || demand === 'fresh proof',
    );
    expect(demanding.filter(([, { inProcess }]) => !inProcess)).toEqual([]);
  });

  it.each(Object.entries(credentials))('%s, does what the design says on every route', async (_title, credential) => {
    const test = await createWholeServer({ engine });
    let caller: Caller | null = null;
    for (const [title, row] of Object.entries(rows)) {
      const options = { ...row.account, ...credential.account };
      if (!isDeepStrictEqual(options, caller?.options)) caller = null;
      caller ??= await createCaller(test, options);
      const { seen, expected, next } = await callAs(test, { title, row, credential, caller });
      expect(seen).toMatchObject(expected);
      caller = next;
    }
  });
});

interface Cell {
  readonly title: string;
  readonly row: Row;
  readonly credential: Credential;
  readonly caller: Caller;
}

/** Calls the route, and says what came of it and what should; with the caller, if all is as it was. */
async function callAs(
  test: WholeServer,
  { title, row, credential, caller }: Cell,
): Promise<{ readonly seen: object; readonly expected: object; readonly next: Caller | null }> {
  const read = (): Promise<object> => readAccount(test.server.stores, { ...caller.watched, userId: caller.userId });
  // In this order: a credential may move the clock, and a code is one of now.
  const sent = await credential.sends(caller, test);
  const input = await row.body?.(caller, test);
  const { answer, isRefused, endsSession } = expectedAnswer(row, credential, caller.options);
  const before = await read();
  const inProcess = isRefused && (await row.inProcess?.(test.server.auth.api, headersOf(sent), input as never));
  const response = await call(test, { title, path: row.path?.(caller), input }, sent);
  const after = await read();
  const isKept = isRefused && !endsSession;
  const seen = {
    title,
    answer: answerOf(response),
    inProcess: inProcess && (inProcess.ok ? 'done' : inProcess.error.code),
    meta: response.body?.error?.meta,
    ...cookiesOf(response),
    stored: after,
    refresh: isKept ? (await refreshWith(test, await caller.token(0))).status : null,
  };
  const expected = {
    title,
    answer,
    ...(inProcess && { inProcess: answer }),
    ...(answer === 'STEP_UP_REQUIRED' && { meta: { maxAge: 300, methods: methodsOf(caller.options) } }),
    ...(!sendsRefreshToken.has(title) && { refreshTokens: [] }),
    ...(!clearsSession.has(title) && { cleared: [] }),
    ...(isRefused && !clearsWhatItRefuses.has(title) && { cookies: [] }),
    ...(isKept && { stored: before, refresh: 200 }),
  };
  return { seen, expected, next: isKept || isDeepStrictEqual(before, after) ? caller : null };
}

/** Lists the proofs that an account can give; a password proves nothing where a second factor is on. */
function methodsOf({ hasPassword = true, hasFactor = false }: AccountOptions): readonly string[] {
  return [...(hasPassword && !hasFactor ? ['password'] : []), ...(hasFactor ? ['code'] : []), 'provider'];
}

function cookiesOf({ headers }: TestResponse): Readonly<Record<string, readonly string[]>> {
  const cookies = headers.getSetCookie();
  return {
    cookies,
    refreshTokens: cookies.filter((cookie) => /^app\.ref=[^;]/.test(cookie)),
    // On other paths, the refresh token is expired by every answer that sets it.
    cleared: cookies.filter((cookie) => /^app\.(?:sid=;|ref=;.* Path=\/api\/auth;)/.test(cookie)),
  };
}

interface Expected {
  readonly answer: string;
  readonly isRefused: boolean;
  /** Whether the refusal ends the session: that of a token that was used before, at `/refresh` alone. */
  readonly endsSession: boolean;
}

function expectedAnswer(row: Row, credential: Credential, { hasFactor = false }: AccountOptions): Expected {
  const { answer = '200' } = row;
  const met = {
    answer: typeof answer === 'string' ? answer : answer({ hasFactor }),
    isRefused: false,
    endsSession: false,
  };
  const refused = (refusal: string): Expected => ({ answer: refusal, isRefused: true, endsSession: false });
  switch (row.demand) {
    case 'nothing':
      return met;
    case 'challenge':
      return refused('SESSION_EXPIRED');
    case 'refresh token':
      if (credential.refresh === 'accepted') return met;
      return { ...refused('SESSION_EXPIRED'), endsSession: credential.refresh === 'reused' };
    case 'JWT':
      return credential.hasJwt === false ? refused('UNAUTHENTICATED') : met;
    case 'session token':
    case 'fresh proof':
      if (credential.hasJwt === false) return refused('UNAUTHENTICATED');
      if (!credential.hasRefreshToken) return refused('SESSION_EXPIRED');
      return row.demand === 'session token' || credential.isFresh ? met : refused('STEP_UP_REQUIRED');
  }
}

/** Sends a request with these credentials alone; all come from a page of the app, so CSRF protection lets them pass. */
async function call(
  test: WholeServer,
  request: { readonly title: string; readonly path: string | undefined; readonly input: object | undefined },
  sent: Sent,
): Promise<TestResponse> {
  const [method = '', path = ''] = (request.title.split(',')[0] ?? '').split(' ');
  const headers = Object.fromEntries(headersOf(sent));
  return test
    .client()
    .send(`/api/auth${request.path ?? path}`, { method, headers, ...(request.input && { body: request.input }) });
}

function headersOf({ jwt, bearer, refreshTokens = [] }: Sent): Headers {
  const cookies = [...(jwt ? [`app.sid=${jwt}`] : []), ...refreshTokens.map((token) => `app.ref=${token}`)];
  return new Headers({
    ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
    ...(bearer && { authorization: `Bearer ${bearer}` }),
  });
}

function answerOf(response: TestResponse): string {
  return response.status < 400 ? String(response.status) : refusalOf(response);
}

async function createCaller(test: WholeServer, options: AccountOptions): Promise<Caller> {
  const { stores } = test.server;
  const account = await createAccount(test, options);
  const jwt = account.browser.cookies.get('app.sid')!;
  const sessionIds = [account.sessionId, account.otherSessionId];
  const watched = { sessionIds, mailed: await storeMailTokens(stores, account) };
  for (let times = 0; times < 2; times++) await rotate(test, account.sessionId);
  return {
    ...{ ...account, options, jwt, watched },
    token: async (behind) => {
      const session = await stores.sessions.findById(account.sessionId);
      if (session === null) throw new TypeError('There is no such session.');
      return deriveToken(test, session, session.generation - behind);
    },
  };
}

async function currentTokens({ jwt, token }: Caller): Promise<Sent> {
  return { jwt, refreshTokens: [await token(0)] };
}

/** Lets the proof of the session reach an age. */
async function aged(caller: Caller, { server, clock }: WholeServer, ms: number): Promise<Sent> {
  const session = await server.stores.sessions.findById(caller.sessionId);
  const age = clock.now().getTime() - (session?.authenticatedAt.getTime() ?? 0);
  clock.advance(ms - age);
  return currentTokens(caller);
}

/** Changes the last byte of the MAC. */
function forge(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return bytes.toString('base64url');
}

function titleOf({ method, path }: Pick<AuthRoute, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`;
}
