import { expect, it } from 'vitest';
import { createClient } from '../create-client.ts';

/** Makes a client of a server that gives the answers in turn, and what it was asked. */
function clientOf(...answers: readonly object[]) {
  const asked: string[] = [];
  const left = [...answers];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${request.url}`);
    const answer = left.shift() ?? {};
    return Response.json(answer, { status: 'error' in answer ? 401 : 200 });
  };
  return { client: createClient({ baseUrl: 'https://app.example/', fetch }), asked };
}

const session = { user: { id: 'ada' }, expiresAt: '2026-05-04T03:02:01.000Z' };

it('a sign-up that tells nobody whether there was an account signs nobody in', async () => {
  const { client } = clientOf({ ok: true });
  const signedUp = await client.auth.signUp({ email: 'ada@example.com', password: 'correct horse battery' });
  expect(signedUp).toEqual({ ok: true, value: null, data: null });
  expect(client.session.getSnapshot().status).toBe('signedOut');
});

it('a session that is nobody by a JWT that is over is refreshed, and asked for again', async () => {
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

it('an id stays one part of a path, whatever it holds', async () => {
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
