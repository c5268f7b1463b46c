import { type Awaitable, CodedError } from '@x/errors';
import type { OAuthAccountRecord, SessionWithUser, TransactionStores } from '@x/store';
import type { EmailDependencies } from '../email/email.ts';
import { aboutSession, logEvent } from '../events/events.ts';
import { consumeAttempt, refundAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { FeatureDependencies } from '../session/session.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
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
 * its reader can't know otherwise that an attacker has linked one.
 */
export type SendReset<Fields extends UserFields = NoFields> = (
  user: User<Fields>,
  token: string,
  details: ResetDetails,
) => Awaitable<void>;

/** Details for the reader of a reset mail. */
export interface ResetDetails {
  /** The linked identities that sign in to the account, and still will after the reset. */
  readonly identities: readonly ResetIdentity[];
  /** Whether an operator invites the user, who sets their first password with it, within a week. */
  readonly isInvitation: boolean;
}

/** An identity that signs in to an account: its provider, and the address that the provider gave. */
export type ResetIdentity = Pick<OAuthAccountRecord, 'provider' | 'email'>;

/** The dependencies of passwords. */
export interface PasswordDependencies extends FeatureDependencies {
  readonly config: ResetConfig & UserConfig;
  readonly hasher: BoundedHasher;
  readonly verifier: PasswordVerifier;
  readonly policy: PasswordPolicy;
  readonly emails: EmailDependencies;
}

/** A password that was right when it was verified. */
export interface ProvenPassword {
  /**
   * The hash that it was verified against. The transaction of the step that this allows checks that it is still the
   * account's.
   */
  readonly hash: string;
  /** Takes the attempt off the count of wrong ones, in that transaction. */
  readonly refund: (stores: TransactionStores) => Promise<void>;
}

/** A password that a caller proves with. */
interface PasswordProof {
  readonly password: string;
  /** Runs once the attempt is counted, before anything is hashed. If it throws, nothing was tried. */
  readonly before: () => Promise<void>;
}

/**
 * Makes sure that the caller knows the password of the account. Only wrong ones count toward the limit.
 *
 * @throws CodedError `RATE_LIMITED`; `INVALID_CREDENTIALS`, also if the account has no password
 */
export async function provePassword(
  deps: PasswordDependencies,
  caller: SessionWithUser,
  { password, before }: PasswordProof,
  request: RequestContext,
): Promise<ProvenPassword> {
  const { id, passwordHash: hash } = caller.user;
  const counted = await consumeAttempt(deps.limits, { limit: 'proof', user: id }, request);
  const refund = (stores: TransactionStores): Promise<void> => refundAttempt(deps.limits, stores, counted);
  const verify = async (): Promise<boolean> => {
    await before();
    return (await deps.verifier.verify(hash, password, request)) !== null;
  };
  const isRight = await verify().catch(async (error: unknown) => {
    await refund(deps.stores);
    throw error;
  });
  if (isRight && hash !== null) return { hash, refund };
  await logEvent(deps, { ...aboutSession(caller), type: 'password.refused' }, request);
  throw wrongPassword();
}

/** Builds the error for a wrong password. */
export function wrongPassword(): CodedError {
  return new CodedError('INVALID_CREDENTIALS', 'The password is wrong.');
}
