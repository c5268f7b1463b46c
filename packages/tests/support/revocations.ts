import { randomBytes } from 'node:crypto';
import type { SessionId, SessionRecord, UserId } from '@x/store';
import { addUser } from './add-user.ts';
import { deriveToken, refreshWith, storedHash, storedSession } from './refresh-tokens.ts';
import type { TestServer } from './test-server.ts';

/** A user with two sessions: one to be revoked, and one to do it. */
export interface Victim {
  /** Its token was rotated twice, so that an old one, the parent and the current one are known. */
  readonly session: SessionRecord;
  readonly tokens: readonly [old: string, parent: string, current: string];
  readonly accessToken: string;
  /** The JWT of the other session. */
  readonly othersToken: string;
}

/** Creates a user with sessions without signing in, which would take longer than the races on them. */
export async function makeVictim(test: TestServer, email: string): Promise<Victim> {
  const { id: userId } = await addUser(test.server, { email });
  const [session, other] = await Promise.all([storeSession(test, userId), storeSession(test, userId)]);
  const tokens = [0, 1, 2].map((generation) => deriveToken(test, session, generation));
  const [old = '', parent = '', current = ''] = tokens;
  await test.server.stores.sessions.rotate(session.id, { expectedHash: storedHash(old), nextHash: storedHash(parent) });
  const [{ accessToken }, { accessToken: othersToken }] = await Promise.all([
    refreshWith(test, parent),
    refreshWith(test, deriveToken(test, other, 0)),
  ]);
  return { session: await storedSession(test, old), tokens: [old, parent, current], accessToken, othersToken };
}

async function storeSession(test: TestServer, userId: UserId): Promise<SessionRecord> {
  const seed = { id: crypto.randomUUID() as SessionId, refreshSalt: randomBytes(32).toString('base64url') };
  const expiresAt = new Date(test.clock.now().getTime() + 7 * 86_400_000);
  const proof = { secondFactorAt: null, authenticatedAt: test.clock.now(), authenticatedBy: 'password' } as const;
  const rest = { ipAddress: null, userAgent: null, ...proof, expiresAt };
  const refreshTokenHash = storedHash(deriveToken(test, seed, 0));
  const created = await test.server.stores.sessions.create(
    { ...seed, userId, refreshTokenHash, ...rest },
    { maxActive: 2 },
  );
  if (created === null) throw new TypeError('There is no such user.');
  return created.session;
}

/** All ways to end the session of a victim. */
export const revocations: Readonly<Record<string, (test: TestServer, victim: Victim) => Promise<unknown>>> = {
  'a sign-out by the refresh token': ({ client }, { tokens: [, , current] }) =>
    client().post('/api/auth/signout', undefined, { headers: { cookie: `app.ref=${current}` } }),
  'a sign-out by the JWT': ({ client }, { accessToken }) =>
    client().post('/api/auth/signout', undefined, { headers: { cookie: `app.sid=${accessToken}` } }),
  'another session, of this one': (test, { session, othersToken }) =>
    deleteAs(test, othersToken, `/api/auth/sessions/${session.id}`),
  'another session, of all others': (test, { othersToken }) => deleteAs(test, othersToken, '/api/auth/sessions'),
  'auth.admin.signOutUser': ({ server }, { session }) => server.auth.admin.signOutUser(session.userId),
  'auth.admin.disableUser': ({ server }, { session }) => server.auth.admin.disableUser(session.userId),
  'the reuse of an old token': (test, { tokens: [old] }) => refreshWith(test, old),
};

/** Sends a DELETE in the session of a JWT. */
function deleteAs({ client }: TestServer, accessToken: string, path: string): Promise<unknown> {
  return client().send(path, { method: 'DELETE', headers: { cookie: `app.sid=${accessToken}` } });
}
