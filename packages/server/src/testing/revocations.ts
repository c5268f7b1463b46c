import type { SessionRecord } from '@x/store';
import { deriveToken, refreshWith, sessionIdOf, setCookie, storedSession } from './refresh-tokens.ts';
import type { TestClient } from './test-client.ts';
import type { TestServer } from './test-server.ts';

/** A user with two sessions: one to be revoked, and one to do it. */
export interface Victim {
  /** Its session was rotated twice, so that an old token, the parent and the current one are known. */
  readonly session: SessionRecord;
  readonly tokens: readonly [old: string, parent: string, current: string];
  readonly accessToken: string;
  readonly other: TestClient;
}

/** Signs a user up, and in a second time. */
export async function makeVictim(test: TestServer, email: string): Promise<Victim> {
  const credentials = { email, password: 'correct horse battery' };
  const [browser, other] = [test.client(), test.client()];
  await browser.post('/api/auth/signup', credentials);
  await other.post('/api/auth/signin', credentials);
  await browser.post('/api/auth/refresh');
  const answer = await browser.post('/api/auth/refresh');
  const [current, accessToken] = [setCookie(answer, 'app.ref'), setCookie(answer, 'app.sid')];
  const session = await storedSession(test, current);
  const tokens = [deriveToken(test, session, 0), deriveToken(test, session, 1), current] as const;
  return { session, tokens, accessToken, other };
}

/** All ways to end the session of a victim. */
export const revocations: Readonly<Record<string, (test: TestServer, victim: Victim) => Promise<unknown>>> = {
  'a sign-out by the refresh token': ({ client }, { tokens: [, , current] }) =>
    client().post('/api/auth/signout', undefined, { headers: { cookie: `app.ref=${current}` } }),
  'a sign-out by the JWT': ({ client }, { accessToken }) =>
    client().post('/api/auth/signout', undefined, { headers: { cookie: `app.sid=${accessToken}` } }),
  'another session, of this one': (test, { tokens: [old], other }) =>
    sendAs(test, other, `/api/auth/sessions/${sessionIdOf(old)}`),
  'another session, of all others': (test, { other }) => sendAs(test, other, '/api/auth/sessions'),
  'auth.admin.signOutUser': ({ server }, { session }) => server.auth.admin.signOutUser(session.userId),
  'auth.admin.disableUser': ({ server }, { session }) => server.auth.admin.disableUser(session.userId),
  'the reuse of an old token': (test, { tokens: [old] }) => refreshWith(test, old),
};

/** Deletes as somebody who is signed in, but through this server. */
function sendAs({ client }: TestServer, { cookies }: TestClient, path: string): Promise<unknown> {
  return client().send(path, { method: 'DELETE', headers: { cookie: `app.sid=${cookies.get('app.sid')}` } });
}
