import { CodedError } from '@x/errors';
import type { NewUser, TransactionStores, UserId, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type StartedVerification, startVerification } from '../email-verification/start-verification.ts';
import { publishEvents } from '../event/record-event.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import { assertGoodPassword } from '../password/password-policy.ts';
import type { RequestContext } from '../request/request-context.ts';
import { completeSignIn } from '../session/complete-sign-in.ts';
import type { SignedIn } from '../session/issue-tokens.ts';
import { prepareSession } from '../session/prepare-session.ts';
import { storeSession } from '../session/store-session.ts';
import { toUser } from '../user/to-user.ts';
import type { SignUpInput } from './sign-up-input.ts';

/**
 * Creates a user with a password and signs them in; user, session, verification and events commit together.
 *
 * @throws CodedError `VALIDATION_FAILED`; `RATE_LIMITED`; `USER_EXISTS` where the address has an account;
 * `SERVICE_UNAVAILABLE` where too many passwords wait to be hashed
 */
export async function signUp(auth: AuthContext, input: unknown, request: RequestContext): Promise<SignedIn> {
  const { password, ...identity } = await auth.parseSignUp(input);
  await consumeAttempt(auth, { limit: 'signup', key: identity.email }, request);
  assertGoodPassword(password, auth.passwordPolicy, ['password']);
  if ((await auth.stores.users.findByLoginEmail(identity.email)) !== null) throw userExists();

  const newUser = toNewUser(auth, identity, await auth.hasher.hash(password));
  const prepared = await prepareSession(auth, toPreview(newUser, auth.stores.clock.now()), request);
  const { stored, verification } = await auth.stores.transaction(async (stores) => {
    const user = await createUser(auth, stores, newUser);
    const session = { ...prepared.session, tenantId: user.tenantId };
    const stored = await storeSession(stores, { ...prepared, session }, { eventType: 'user.created' });
    // Thrown in here, so that the user goes with it.
    if (stored === null) throw new Error('A user that was just created could not start a session.');
    return { stored, verification: await verificationOf(auth, stores, user, request) };
  });
  publishEvents(auth, verification?.events ?? []);
  verification?.sendMail();
  return completeSignIn(auth, prepared, stored);
}

/** Stores a user, and lets the app do its part; returns the user as they are then. */
async function createUser(auth: AuthContext, stores: TransactionStores, newUser: NewUser): Promise<UserRecord> {
  const created = await stores.users.create(newUser);
  if (created === null) throw userExists();
  await auth.hooks.onUserCreated({ user: toUser(created, auth.config) }, { stores });
  return (await stores.users.findById(created.id)) ?? created;
}

async function verificationOf(
  auth: AuthContext,
  stores: TransactionStores,
  user: UserRecord,
  request: RequestContext,
): Promise<StartedVerification | null> {
  if (!auth.config.emailVerification.enabled || user.emailVerified) return null;
  return startVerification(auth, stores, { user, newEmail: null }, request);
}

/** Shows the user that is about to be stored. */
function toPreview(user: NewUser, now: Date): UserRecord {
  return { ...user, disabledAt: null, createdAt: now, updatedAt: now };
}

function toNewUser(
  { config }: AuthContext,
  { email, fields }: Omit<SignUpInput, 'password'>,
  passwordHash: string,
): NewUser {
  return {
    id: crypto.randomUUID() as UserId,
    email,
    loginEmail: email,
    // Without e-mail verification the app takes the address as given; that proves nothing.
    emailVerified: !config.emailVerification.enabled,
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
