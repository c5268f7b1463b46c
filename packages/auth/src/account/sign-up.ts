import { CodedError } from '@x/errors';
import type { NewUser, UserId, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import { findPasswordProblems } from '../password/password-policy.ts';
import { validationFailed } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { completeSignIn } from '../session/complete-sign-in.ts';
import type { SignedIn } from '../session/issue-tokens.ts';
import { prepareSession } from '../session/prepare-session.ts';
import { storeSession } from '../session/store-session.ts';
import type { SignUpInput } from './sign-up-input.ts';

/**
 * Creates a user with a password and signs them in; user, session and event commit together.
 *
 * @throws CodedError `VALIDATION_FAILED`; `RATE_LIMITED`; `USER_EXISTS` where the address has an account;
 * `SERVICE_UNAVAILABLE` where too many passwords wait to be hashed
 */
export async function signUp(auth: AuthContext, input: unknown, request: RequestContext): Promise<SignedIn> {
  const { password, ...identity } = await auth.parseSignUp(input);
  await consumeAttempt(auth, { limit: 'signup', key: identity.email }, request);
  const problems = findPasswordProblems(password, auth.passwordPolicy, ['password']);
  if (problems.length > 0) throw validationFailed(problems);
  if ((await auth.stores.users.findByLoginEmail(identity.email)) !== null) throw userExists();

  const newUser = toNewUser(identity, await auth.hasher.hash(password));
  const prepared = await prepareSession(auth, toPreview(newUser, auth.stores.clock.now()), request);
  const stored = await auth.stores.transaction(async (stores) => {
    if ((await stores.users.create(newUser)) === null) throw userExists();
    const session = await storeSession(stores, prepared, { eventType: 'user.created' });
    // Thrown in here, so that the user goes with it.
    if (session === null) throw new Error('A user that was just created could not start a session.');
    return session;
  });
  return completeSignIn(auth, prepared, stored);
}

/** Shows the user that is about to be stored. */
function toPreview(user: NewUser, now: Date): UserRecord {
  return { ...user, disabledAt: null, createdAt: now, updatedAt: now };
}

function toNewUser({ email, fields }: Omit<SignUpInput, 'password'>, passwordHash: string): NewUser {
  return {
    id: crypto.randomUUID() as UserId,
    email,
    loginEmail: email,
    // Without e-mail verification the app takes the address as given; that proves nothing.
    emailVerified: true,
    emailProvenAt: null,
    passwordHash,
    role: 'user',
    tenantId: null,
    fields,
  };
}

function userExists(): CodedError {
  return new CodedError('USER_EXISTS', 'There is an account with this e-mail address already.');
}
