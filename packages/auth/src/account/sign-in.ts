import { CodedError } from '@x/errors';
import type { EventRecord, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import type { RequestContext } from '../request/request-context.ts';
import { completeSignIn } from '../session/complete-sign-in.ts';
import type { SignedIn } from '../session/issue-tokens.ts';
import { type StartedSession, startSession } from '../session/start-session.ts';
import { type Credentials, parseCredentials } from './credentials.ts';

/**
 * Signs a user in by e-mail and password, always with a new session.
 *
 * An unknown address, a wrong password, an account without one and a disabled account can't be told apart,
 * by the answer or by its time.
 *
 * @throws CodedError `VALIDATION_FAILED`, `INVALID_CREDENTIALS`; `SERVICE_UNAVAILABLE` where too many
 * passwords wait to be hashed
 */
export async function signIn(auth: AuthContext, input: unknown, request: RequestContext): Promise<SignedIn> {
  const credentials = parseCredentials(input);
  const opened = await openSession(auth, credentials, request);
  if (opened === null) {
    publishEvents(auth, [await recordFailure(auth, credentials, request)]);
    throw new CodedError('INVALID_CREDENTIALS', 'The e-mail address or the password is not right.');
  }
  return completeSignIn(auth, opened);
}

/**
 * Verifies the password and stores a session under the very hash that was verified. That hash may be replaced
 * meanwhile by the same password hashed anew, in a sign-in beside this one: so a second try.
 */
async function openSession(
  auth: AuthContext,
  credentials: Credentials,
  request: RequestContext,
): Promise<StartedSession | null> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const user = await verifiedUser(auth, credentials);
    if (user === null) return null;
    const opened = await storeSession(auth, user, await freshHash(auth, user, credentials), request);
    if (opened !== null) return opened;
  }
  return null;
}

async function verifiedUser(auth: AuthContext, { email, password }: Credentials): Promise<VerifiedUser | null> {
  const user = await auth.stores.users.findByLoginEmail(email);
  const passwordHash = user?.passwordHash ?? null;
  const verified = await auth.passwordVerifier.verify(passwordHash, password);
  if (!verified || user === null || passwordHash === null || user.disabledAt !== null) return null;
  return { ...user, passwordHash };
}

type VerifiedUser = UserRecord & { readonly passwordHash: string };

/** Returns the hash that the user should have: a new one where the stored one was made with old parameters. */
async function freshHash(auth: AuthContext, user: VerifiedUser, { password }: Credentials): Promise<string> {
  return auth.hasher.needsRehash(user.passwordHash) ? auth.hasher.hash(password) : user.passwordHash;
}

function storeSession(
  auth: AuthContext,
  user: VerifiedUser,
  nextHash: string,
  request: RequestContext,
): Promise<StartedSession | null> {
  return auth.stores.transaction(async (stores) => {
    const rehash = { expectedHash: user.passwordHash, nextHash };
    if (nextHash !== user.passwordHash && !(await stores.users.changePassword(user.id, rehash))) return null;
    return startSession(auth, stores, {
      user,
      request,
      eventType: 'sign_in.succeeded',
      expectedPasswordHash: nextHash,
    });
  });
}

function recordFailure(auth: AuthContext, { email }: Credentials, request: RequestContext): Promise<EventRecord> {
  return recordEvent(auth.stores, { type: 'sign_in.failed', userId: null, detail: { email } }, request);
}
