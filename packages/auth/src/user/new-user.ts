import { CodedError } from '@x/errors';
import type { NewUser, SessionId, UserRecord } from '@x/store';
import type { LoggedStep } from '../events/events.ts';
import type { AuthHooks } from './hooks.ts';
import { toUser, type UserConfig } from './user.ts';

/** Builds a user to store: without a password, and with an unverified address to sign in with, unless it is given. */
export function toNewUser(given: Pick<NewUser, 'id' | 'email' | 'fields'> & Partial<NewUser>): NewUser {
  return {
    loginEmail: given.email,
    emailVerified: false,
    emailProvenAt: null,
    passwordHash: null,
    role: 'user',
    tenantId: null,
    ...given,
  };
}

/** Returns a new user as it will be stored, as far as tokens show it. */
export function toPreview(user: NewUser, now: Date): UserRecord {
  return { ...user, disabledAt: null, unfinished: null, createdAt: now, updatedAt: now };
}

/** The dependencies of storing a user. */
interface CreationDependencies {
  readonly config: UserConfig;
  readonly hooks: Pick<AuthHooks, 'onUserCreated'>;
}

/**
 * Stores a user without an identity at a provider, and runs the app's hook, in the caller's transaction. Returns the
 * user as stored after that; null if the address has an account.
 */
export async function storeNewUser(
  { config, hooks }: CreationDependencies,
  { stores, log }: LoggedStep,
  newUser: NewUser,
  sessionId: SessionId | null = null,
): Promise<UserRecord | null> {
  const created = await stores.users.create(newUser, log.cause({ sessionId }));
  if (created === null) return null;
  await hooks.onUserCreated({ user: toUser(created, config), provider: null }, { stores });
  return (await stores.users.findById(created.id)) ?? created;
}

/** Builds the error for an address that has an account. */
export function userExists(): CodedError {
  return new CodedError('USER_EXISTS', 'An account with this e-mail address already exists.');
}
