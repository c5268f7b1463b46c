import type { NewUser, UserRecord } from '@x/store';
import { requireVerification } from '../email/email.ts';
import { deliver } from '../email/mail.ts';
import { type StartedVerification, startVerification } from '../email/verification.ts';
import { type LoggedStep, loggedTransaction } from '../events/events.ts';
import { assertGoodPassword } from '../password/policy.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { SignedIn } from '../session/issue.ts';
import { completeSignIn, prepareSession, storeSession } from '../session/start.ts';
import { storeNewUser, toNewUser, toPreview, userExists } from '../user/new-user.ts';
import { toUser } from '../user/user.ts';
import { type AccountDependencies, isGenericSignUp } from './account.ts';

/**
 * Creates a user with a password and signs them in; user, session, verification and events commit together. With
 * generic sign-up it returns null: no session starts, and nothing reveals whether the address already had an account.
 *
 * @throws CodedError `VALIDATION_FAILED`; `RATE_LIMITED`; `FORBIDDEN` if the app refuses them; `USER_EXISTS` if the
 * address has an account; `SERVICE_UNAVAILABLE` if too many passwords are waiting to be hashed
 */
export async function signUp(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<SignedIn | null> {
  const { password, ...identity } = deps.parseSignUp(input);
  await consumeAttempt(deps.limits, { limit: 'signup', email: identity.email }, request);
  await assertGoodPassword(deps.passwords.policy, { password, email: identity.email, path: ['password'] });
  await deps.hooks.beforeSignUp({ ...identity, isEmailProven: false, provider: null }, request);
  const isGeneric = isGenericSignUp(deps);
  if (!isGeneric && (await deps.stores.users.findByLoginEmail(identity.email)) !== null) throw userExists();

  const passwordHash = await deps.passwords.hasher.hash(password, request);
  const newUser = toNewUser({ ...identity, id: deps.newUserId(), passwordHash });
  if (!isGeneric) return signUpAndIn(deps, newUser, request);
  signUpInBackground(deps, newUser, request);
  return null;
}

async function signUpAndIn(deps: AccountDependencies, newUser: NewUser, request: RequestContext): Promise<SignedIn> {
  const preview = toPreview(newUser, deps.stores.clock.now());
  const prepared = await prepareSession(deps.sessions, preview, request, {
    authenticatedBy: 'password',
    provider: null,
    isNewUser: true,
  });
  const { stored, verification } = await loggedTransaction(deps, request, async (stores, log) => {
    const user = await storeNewUser(deps, { stores, log }, newUser, prepared.session.id);
    if (user === null) throw userExists();
    const stored = await storeSession(stores, prepared, { cause: log.cause({ isImplied: true }) });
    // Thrown inside the transaction, so that the user is rolled back too.
    if (stored === null) throw new Error('A user that was just created could not start a session.');
    return { stored, verification: await startFirstVerification(deps, { stores, log }, user) };
  });
  verification?.sendMail();
  return completeSignIn(deps.sessions, prepared, stored);
}

/** Starts the verification of a new user; null if there is nothing to verify. */
async function startFirstVerification(
  deps: AccountDependencies,
  { stores, log }: LoggedStep,
  user: UserRecord,
): Promise<StartedVerification | null> {
  if (!deps.config.emailVerification.enabled || user.emailVerified) return null;
  const about = { userId: user.id, tenantId: user.tenantId };
  return startVerification(deps.emails, stores, { user, newEmail: null, about, log });
}

/**
 * Creates an account without a session, or lets the app notify the owner of an existing one. Runs after the response,
 * which therefore takes equally long for both.
 */
function signUpInBackground(deps: AccountDependencies, newUser: NewUser, request: RequestContext): void {
  deliver(deps.events, 'sign_up', async () => {
    const created = await loggedTransaction(deps, request, async (stores, log) => {
      const user = await storeNewUser(deps, { stores, log }, newUser);
      return user && { verification: await startFirstVerification(deps, { stores, log }, user) };
    });
    if (created === null) return notifyOwner(deps, newUser.email);
    created.verification?.sendMail();
  });
}

async function notifyOwner(deps: AccountDependencies, email: string): Promise<void> {
  const owner = await deps.stores.users.findByLoginEmail(email);
  if (owner === null || owner.disabledAt !== null) return;
  await requireVerification(deps.emails).onExistingSignUp(toUser(owner, deps.config));
}
