import { describeAuth } from '@x/auth';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../create-client.ts';
import { recordingClient } from '../testing/recording-client.ts';
import type { AuthClient } from './auth-client.ts';

/** Makes a client of a server that gives the answers one after another, and the list of its requests. */
function clientOf(...answers: readonly object[]) {
  const asked: string[] = [];
  const left = [...answers];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${request.url}`);
    const answer = left.shift() ?? {};
    if (answer instanceof Response) return answer;
    return Response.json(answer, { status: 'error' in answer ? 401 : 200 });
  };
  return { client: createClient({ baseUrl: 'https://app.example/', fetch }), asked };
}

const session = { user: { id: 'ada' }, expiresAt: '2026-05-04T03:02:01.000Z' };

it('a generic sign-up, which does not reveal whether there was an account, signs no user in', async () => {
  const { client } = clientOf({ ok: true });
  const signedUp = await client.auth.signUp({ email: 'ada@example.com', password: 'correct horse battery' });
  expect(signedUp).toEqual({ ok: true, value: null, data: null });
  expect(client.session.getSnapshot().status).toBe('signedOut');
});

it('a session that is null because its JWT has expired is refreshed, and requested again', async () => {
  const { client, asked } = clientOf(session, { session: null }, session, { session });
  await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  expect(await client.auth.getSession()).toMatchObject({ ok: true, data: session });
  expect(asked).toEqual([
    'POST https://app.example/api/auth/signin',
    'GET https://app.example/api/auth/session',
    'POST https://app.example/api/auth/refresh',
    'GET https://app.example/api/auth/session',
  ]);
});

it('a change of the user is shown in the session, by a refresh', async () => {
  const changed = { user: { id: 'ada', nickname: 'Countess' } };
  const { client, asked } = clientOf(session, changed, { ...session, ...changed });
  await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  expect(await client.auth.updateUser({ nickname: 'Countess' } as object)).toMatchObject({ ok: true, data: changed });
  expect(client.session.getSnapshot().user).toEqual(changed.user);
  expect(asked.slice(1)).toEqual([
    'PATCH https://app.example/api/auth/user',
    'POST https://app.example/api/auth/refresh',
  ]);
});

it('a change of the user that is refused refreshes nothing, and so does one by a bearer token', async () => {
  const { client, asked } = clientOf(session, { error: { code: 'VALIDATION_FAILED', message: '' } });
  await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  expect(await client.auth.updateUser({})).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED' } });
  expect(asked).toHaveLength(2);

  const sent: string[] = [];
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    sent.push(new Request(input).url);
    return Response.json({ user: session.user });
  };
  const program = createClient({ baseUrl: 'https://app.example', fetch, bearer: () => 'a.b.c' });
  expect(await program.auth.updateUser({})).toMatchObject({ ok: true });
  expect(sent).toEqual(['https://app.example/api/auth/user']);
});

it.each([null, 'ok', true])('a response that no route gives is none: %j', async (answer) => {
  const { client } = clientOf(session, ...Array.from({ length: 8 }, () => Response.json(answer)));
  const { auth } = client;
  await auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  for (const call of [
    () => auth.getSession(),
    () => auth.sessions.list(),
    () => auth.events(),
    () => auth.forgotPassword({ email: 'ada@example.com' }),
    () => auth.mfa.status(),
    () => auth.tenants.switch({ tenantId: 't1' }),
    () => auth.signIn({ email: 'bob@example.com', password: 'correct horse battery' }),
    () => auth.signOut(),
  ]) {
    expect(await call()).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
  }
  expect(client.session.getSnapshot()).toEqual({ status: 'signedIn', user: session.user });
});

it('an id stays one part of a path, with any characters', async () => {
  const { client, asked } = clientOf();
  await client.auth.sessions.revoke('../account');
  await client.auth.oauthAccounts.unlink('a/b');
  await client.auth.oauthAccounts.link('a?b');
  expect(asked).toEqual([
    'DELETE https://app.example/api/auth/sessions/..%2Faccount',
    'DELETE https://app.example/api/auth/oauth-accounts/a%2Fb',
    'POST https://app.example/api/auth/oauth/a%3Fb/link',
  ]);
});

/** One call of every member: the type asks for a line when a member is added or renamed. */
type CallsOf<Members> = {
  readonly [Name in keyof Members]: Members[Name] extends (...given: never) => unknown
    ? () => Promise<unknown>
    : CallsOf<Members[Name]>;
};

it('has a member for each route that scripts call, and no member without a route', async () => {
  const { client, asked } = clientOf();
  const { auth } = client;
  const password = 'correct horse battery';
  const calls: CallsOf<AuthClient> = {
    signUp: () => auth.signUp({ email: 'ada@example.com', password }),
    signIn: () => auth.signIn({ email: 'ada@example.com', password }),
    signOut: () => auth.signOut(),
    getSession: () => auth.getSession(),
    refresh: () => auth.refresh(),
    sessions: {
      list: () => auth.sessions.list(),
      revoke: () => auth.sessions.revoke(':id'),
      revokeOthers: () => auth.sessions.revokeOthers(),
    },
    verifyEmail: () => auth.verifyEmail({ token: 'x' }),
    resendVerification: () => auth.resendVerification(),
    forgotPassword: () => auth.forgotPassword({ email: 'ada@example.com' }),
    resetPassword: () => auth.resetPassword({ token: 'x', password }),
    changePassword: () => auth.changePassword({ currentPassword: password, newPassword: password }),
    changeEmail: () => auth.changeEmail({ email: 'ada@example.com', password }),
    updateUser: () => auth.updateUser({}),
    deleteAccount: () => auth.deleteAccount({ password }),
    confirm: () => auth.confirm({ password }),
    mfa: {
      setup: () => auth.mfa.setup(),
      verifySetup: () => auth.mfa.verifySetup({ code: '123456' }),
      challenge: () => auth.mfa.challenge({ code: '123456' }),
      stepUp: () => auth.mfa.stepUp({ code: '123456' }),
      disable: () => auth.mfa.disable({ code: '123456' }),
      backupCodes: () => auth.mfa.backupCodes({ code: '123456' }),
      status: () => auth.mfa.status(),
    },
    providers: () => auth.providers(),
    oauthAccounts: {
      list: () => auth.oauthAccounts.list(),
      link: () => auth.oauthAccounts.link(':provider'),
      unlink: () => auth.oauthAccounts.unlink(':provider'),
    },
    tenants: { list: () => auth.tenants.list(), switch: () => auth.tenants.switch({ tenantId: 'x' }) },
    events: () => auth.events(),
  };
  for (const call of leavesOf(calls)) await call();

  const { routes } = describeAuth({
    emailVerification: { enabled: true },
    passwordReset: { enabled: true },
    mfa: { enabled: true },
    tenant: {},
    accessSet: {},
    providers: [{ id: 'github' }],
    userFields: { nickname: { schema: z.string(), update: true } },
  });
  const called = new Set(asked.map((line) => decodeURIComponent(line.replace('https://app.example/api/auth', ''))));
  const declared = routes.filter(({ name }) => !calledByOthers.includes(name));
  expect([...called].toSorted()).toEqual(
    declared.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
  );
});

/** Routes that a browser navigates to, another server fetches, or `client.access` calls. */
const calledByOthers = ['startOAuth', 'completeOAuth', 'getJwks', 'getAccessSet'];

type Call = () => Promise<unknown>;

function leavesOf(calls: object): readonly Call[] {
  return Object.values(calls).flatMap((call: Call | object) =>
    typeof call === 'function' ? [call as Call] : leavesOf(call),
  );
}

it('sends its requests to another path of the server', async () => {
  const { client, asked } = recordingClient([session], { authPath: '/account/auth' });
  await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  await client.auth.mfa.status();
  await client.auth.oauthAccounts.link('google');
  await client.auth.refresh();
  await client.access.refresh();
  expect(asked.map(([line]) => line)).toEqual([
    'POST /account/auth/signin',
    'GET /account/auth/mfa/status',
    'POST /account/auth/oauth/google/link',
    'POST /account/auth/refresh',
    'GET /account/auth/access-set',
  ]);
});
