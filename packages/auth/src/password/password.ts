import { type Awaitable, CodedError } from '@x/errors';
import type { OAuthAccountRecord, SessionWithUser } from '@x/store';
import type { EmailDependencies } from '../email/email.ts';
import { aboutSession, logEvent } from '../events/events.ts';
import { consumeAttempt, refundUnlessWrong } from '../rate-limits/rate-limits.ts';
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

/** A password that a caller proves with. */
interface PasswordProof {
  readonly caller: SessionWithUser;
  readonly password: string;
  /** Runs once the attempt is counted, before anything is hashed. */
  readonly before: () => Promise<void>;
}

/**
 * Takes a step for a caller who knows the password of their account. Only wrong ones count toward the limit.
 *
 * @param step - gets the hash that the password was verified against. Its transaction checks that this is still the
 * account's; null if it is not
 * @throws CodedError `RATE_LIMITED`; `INVALID_CREDENTIALS`, also if the account has no password; the errors of the step
 */
export async function withPassword<T>(
  deps: PasswordDependencies,
  { caller, password, before }: PasswordProof,
  request: RequestContext,
  step: (verifiedHash: string) => Promise<T | null>,
): Promise<T> {
  const { id, passwordHash: hash } = caller.user;
  const counted = await consumeAttempt(deps.limits, { limit: 'proof', user: id }, request);
  const outcome = await refundUnlessWrong(deps.limits, counted, async () => {
    await before();
    const match = await deps.verifier.verify(hash, password, request);
    return match === null || hash === null ? null : step(hash);
  });
  if (outcome !== null) return outcome;
  await logEvent(deps, { ...aboutSession(caller), type: 'password.refused' }, request);
  throw new CodedError('INVALID_CREDENTIALS', 'The password is wrong.');
}
