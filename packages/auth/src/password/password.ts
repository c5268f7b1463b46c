import { type Awaitable, CodedError } from '@x/errors';
import type { OAuthAccountRecord, SessionWithUser } from '@x/store';
import type { EmailDependencies } from '../email/email.ts';
import { aboutSession, publishEvents, recordEvent } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { FeatureDependencies } from '../session/session.ts';
import type { User, UserConfig } from '../user/user.ts';
import type { BoundedHasher, PasswordVerifier } from './hasher.ts';
import type { PasswordPolicy } from './policy.ts';

/** The settings of password reset. */
export interface ResetConfig {
  readonly passwordReset: EnabledReset | { readonly enabled: false };
}

/** The settings of password reset, if it is enabled. */
export interface EnabledReset {
  readonly enabled: true;
  readonly tokenTtl: number;
  readonly revokeSessionsOnReset: boolean;
  readonly onSend: SendReset;
}

/**
 * Mails a token to `user.email`, in a link to a page of the app, as `SendToken` does. Name the identities in the mail:
 * its reader can't know otherwise that somebody else has linked one.
 */
export type SendReset = (user: User, token: string, details: ResetDetails) => Awaitable<void>;

/** What the reader of a reset mail should know. */
export interface ResetDetails {
  /** The linked identities that sign in to the account, and still will after the reset. */
  readonly identities: readonly ResetIdentity[];
}

/** An identity that signs in to an account: its provider, and the address that the provider gave. */
export type ResetIdentity = Pick<OAuthAccountRecord, 'provider' | 'email'>;

/** What passwords work with. */
export interface PasswordDependencies extends FeatureDependencies {
  readonly config: ResetConfig & UserConfig;
  readonly hasher: BoundedHasher;
  readonly verifier: PasswordVerifier;
  readonly policy: PasswordPolicy;
  readonly emails: EmailDependencies;
}

/**
 * Makes sure that the caller knows the password of the account. Count the attempt before; and the transaction of the
 * step that this allows has to check that the password is still the account's.
 *
 * @returns the hash that the password was verified against
 * @throws CodedError `INVALID_CREDENTIALS`, also if the account has no password
 */
export async function verifyPassword(
  deps: PasswordDependencies,
  caller: SessionWithUser,
  password: string,
  request: RequestContext,
): Promise<string> {
  const { user } = caller;
  const isRight = await deps.verifier.verify(user.passwordHash, password, request);
  if (isRight && user.passwordHash !== null) return user.passwordHash;
  const event = { ...aboutSession(caller), type: 'password.refused' } as const;
  publishEvents(deps.events, [await recordEvent(deps.stores, event, request)]);
  throw wrongPassword();
}

/** Builds the error for a wrong password. */
export function wrongPassword(): CodedError {
  return new CodedError('INVALID_CREDENTIALS', 'The password is wrong.');
}
