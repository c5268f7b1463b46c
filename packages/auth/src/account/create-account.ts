import type { NewUser, TransactionStores, UserId, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type StartedVerification, startVerification } from '../email-verification/start-verification.ts';
import type { RequestContext } from '../request/request-context.ts';
import { toUser } from '../user/to-user.ts';
import type { SignUpInput } from './sign-up-input.ts';

/** Builds the user of a sign-up. */
export function toNewUser(
  { config }: AuthContext,
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
export async function createUser(
  auth: AuthContext,
  stores: TransactionStores,
  newUser: NewUser,
): Promise<UserRecord | null> {
  const created = await stores.users.create(newUser);
  if (created === null) return null;
  await auth.hooks.onUserCreated({ user: toUser(created, auth.config), provider: null }, { stores });
  return (await stores.users.findById(created.id)) ?? created;
}

/** Starts the verification of a new user; null if there is nothing to verify. */
export async function startFirstVerification(
  auth: AuthContext,
  stores: TransactionStores,
  user: UserRecord,
  request: RequestContext,
): Promise<StartedVerification | null> {
  if (!auth.config.emailVerification.enabled || user.emailVerified) return null;
  return startVerification(auth, stores, { user, newEmail: null }, request);
}
