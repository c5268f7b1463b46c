import { CodedError } from '@x/errors';
import type { NewUser, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../events/events.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import { assertGoodPassword } from '../password/policy.ts';
import type { RequestContext } from '../request/request-context.ts';
import { completeSignIn } from '../session/complete-sign-in.ts';
import type { SignedIn } from '../session/issue.ts';
import { prepareSession } from '../session/start.ts';
import { storeSession } from '../session/store-session.ts';
import { createUser, startFirstVerification, toNewUser } from './create-account.ts';
import { isGenericSignUp, signUpUnseen } from './generic-sign-up.ts';

/**
 * Creates a user with a password and signs them in; user, session, verification and events commit together. With
 * generic sign-up it returns null: nobody is signed in, and nothing reveals whether the address already had an account.
 *
 * @throws CodedError `VALIDATION_FAILED`; `RATE_LIMITED`; `USER_EXISTS` if the address has an account;
 * `SERVICE_UNAVAILABLE` if too many passwords are waiting to be hashed
 */
export async function signUp(auth: AuthContext, input: unknown, request: RequestContext): Promise<SignedIn | null> {
  const { password, ...identity } = await auth.parseSignUp(input);
  await consumeAttempt(auth, { limit: 'signup', key: identity.email }, request);
  assertGoodPassword(password, auth.passwordPolicy, ['password']);
  const isGeneric = isGenericSignUp(auth);
  if (!isGeneric && (await auth.stores.users.findByLoginEmail(identity.email)) !== null) throw userExists();

  const newUser = toNewUser(auth, identity, await auth.hasher.hash(password));
  if (!isGeneric) return signUpAndIn(auth, newUser, request);
  signUpUnseen(auth, newUser, request);
  return null;
}

async function signUpAndIn(auth: AuthContext, newUser: NewUser, request: RequestContext): Promise<SignedIn> {
  const preview = toPreview(newUser, auth.stores.clock.now());
  const prepared = await prepareSession(auth, preview, request, { isSetUpLater: true });
  const { stored, verification } = await auth.stores.transaction(async (stores) => {
    const user = await createUser(auth, stores, newUser);
    if (user === null) throw userExists();
    const session = { ...prepared.session, tenantId: user.tenantId };
    const stored = await storeSession(stores, { ...prepared, session }, { eventType: 'user.created' });
    // Thrown inside the transaction, so that the user is rolled back too.
    if (stored === null) throw new Error('A user that was just created could not start a session.');
    return { stored, verification: await startFirstVerification(auth, stores, user, request) };
  });
  publishEvents(auth, verification?.events ?? []);
  verification?.sendMail();
  return completeSignIn(auth, prepared, stored);
}

/** Returns the user as it will be stored. */
function toPreview(user: NewUser, now: Date): UserRecord {
  return { ...user, disabledAt: null, createdAt: now, updatedAt: now };
}

function userExists(): CodedError {
  return new CodedError('USER_EXISTS', 'An account with this e-mail address already exists.');
}
