import { CodedError } from '@x/errors';
import type { EventRecord, NewUser, TransactionStores, UserId, UserRecord } from '@x/store';
import { deliver } from '../email/mail.ts';
import { requireVerification, type StartedVerification, startVerification } from '../email/verification.ts';
import { publishEvents, recordEvent } from '../events/events.ts';
import { consumeAttempt } from '../limits/limits.ts';
import { assertGoodPassword } from '../password/policy.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { SignedIn } from '../session/issue.ts';
import { completeSignIn, prepareSession, storeSession } from '../session/start.ts';
import { toUser } from '../user/user.ts';
import type { AccountNeeds } from './account.ts';
import type { SignUpInput } from './sign-up-input.ts';

/**
 * Creates a user with a password and signs them in; user, session, verification and events commit together. With
 * generic sign-up it returns null: nobody is signed in, and nothing reveals whether the address already had an account.
 *
 * @throws CodedError `VALIDATION_FAILED`; `RATE_LIMITED`; `USER_EXISTS` if the address has an account;
 * `SERVICE_UNAVAILABLE` if too many passwords are waiting to be hashed
 */
export async function signUp(needs: AccountNeeds, input: unknown, request: RequestContext): Promise<SignedIn | null> {
  const { password, ...identity } = await needs.parseSignUp(input);
  await consumeAttempt(needs.limits, { limit: 'signup', key: identity.email }, request);
  assertGoodPassword(password, needs.passwords.policy, ['password']);
  const isGeneric = isGenericSignUp(needs);
  if (!isGeneric && (await needs.stores.users.findByLoginEmail(identity.email)) !== null) throw userExists();

  const newUser = toNewUser(needs, identity, await needs.passwords.hasher.hash(password));
  if (!isGeneric) return signUpAndIn(needs, newUser, request);
  signUpInBackground(needs, newUser, request);
  return null;
}

async function signUpAndIn(needs: AccountNeeds, newUser: NewUser, request: RequestContext): Promise<SignedIn> {
  const preview = toPreview(newUser, needs.stores.clock.now());
  const prepared = await prepareSession(needs.sessions, preview, request, { isSetUpLater: true });
  const { stored, verification } = await needs.stores.transaction(async (stores) => {
    const user = await createUser(needs, stores, newUser);
    if (user === null) throw userExists();
    const session = { ...prepared.session, tenantId: user.tenantId };
    const stored = await storeSession(stores, { ...prepared, session }, { eventType: 'user.created' });
    // Thrown inside the transaction, so that the user is rolled back too.
    if (stored === null) throw new Error('A user that was just created could not start a session.');
    return { stored, verification: await startFirstVerification(needs, stores, user, request) };
  });
  publishEvents(needs.events, verification?.events ?? []);
  verification?.sendMail();
  return completeSignIn(needs.sessions, prepared, stored);
}

/** Returns the user as it will be stored. */
function toPreview(user: NewUser, now: Date): UserRecord {
  return { ...user, disabledAt: null, createdAt: now, updatedAt: now };
}

function userExists(): CodedError {
  return new CodedError('USER_EXISTS', 'An account with this e-mail address already exists.');
}

/** Builds the user of a sign-up. */
function toNewUser(
  { config }: AccountNeeds,
  { email, fields }: Omit<SignUpInput, 'password'>,
  passwordHash: string,
): NewUser {
  return {
    id: crypto.randomUUID() as UserId,
    email,
    loginEmail: email,
    // Without e-mail verification, the app accepts the address as given, which proves nothing.
    emailVerified: !config.emailVerification.enabled,
    emailProvenAt: null,
    passwordHash,
    role: 'user',
    tenantId: null,
    fields,
  };
}

/**
 * Stores a user and runs the app's hook, in the caller's transaction. Returns the user as stored after that; null if
 * the address already has an account.
 */
async function createUser(
  needs: AccountNeeds,
  stores: TransactionStores,
  newUser: NewUser,
): Promise<UserRecord | null> {
  const created = await stores.users.create(newUser);
  if (created === null) return null;
  await needs.hooks.onUserCreated({ user: toUser(created, needs.config), provider: null }, { stores });
  return (await stores.users.findById(created.id)) ?? created;
}

/** Starts the verification of a new user; null if there is nothing to verify. */
async function startFirstVerification(
  needs: AccountNeeds,
  stores: TransactionStores,
  user: UserRecord,
  request: RequestContext,
): Promise<StartedVerification | null> {
  if (!needs.config.emailVerification.enabled || user.emailVerified) return null;
  return startVerification(needs.emails, stores, { user, newEmail: null }, request);
}

/** Says whether sign-up hides that an address has an account. */
function isGenericSignUp({ config: { emailVerification } }: Pick<AccountNeeds, 'config'>): boolean {
  return emailVerification.enabled && emailVerification.genericSignUp;
}

/**
 * Says whether the password of an account cannot be used yet. If sign-up hides whether an address has an account, a
 * sign-in with the password just given would reveal it; so passwords work only once the address is verified.
 */
export function awaitsVerification(needs: Pick<AccountNeeds, 'config'>, { emailVerified }: UserRecord): boolean {
  return isGenericSignUp(needs) && !emailVerified;
}

/**
 * Creates an account without a session, or lets the app notify the owner of an existing one. Runs after the response,
 * which therefore takes equally long for both.
 */
function signUpInBackground(needs: AccountNeeds, newUser: NewUser, request: RequestContext): void {
  deliver(needs.events, 'sign_up', async () => {
    const created = await createAccount(needs, newUser, request);
    if (created === null) return notifyOwner(needs, newUser.email);
    publishEvents(needs.events, [created.event, ...(created.verification?.events ?? [])]);
    created.verification?.sendMail();
  });
}

interface CreatedAccount {
  readonly event: EventRecord;
  readonly verification: StartedVerification | null;
}

function createAccount(needs: AccountNeeds, newUser: NewUser, request: RequestContext): Promise<CreatedAccount | null> {
  return needs.stores.transaction(async (stores) => {
    const user = await createUser(needs, stores, newUser);
    if (user === null) return null;
    const about = { userId: user.id, tenantId: user.tenantId };
    const event = await recordEvent(stores, { ...about, type: 'user.created' }, request);
    return { event, verification: await startFirstVerification(needs, stores, user, request) };
  });
}

async function notifyOwner(needs: AccountNeeds, email: string): Promise<void> {
  const owner = await needs.stores.users.findByLoginEmail(email);
  if (owner === null || owner.disabledAt !== null) return;
  await requireVerification(needs.emails).onExistingSignUp(toUser(owner, needs.config));
}
