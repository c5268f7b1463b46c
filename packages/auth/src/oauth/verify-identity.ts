import type { ConfiguredProvider } from '../config/auth-config.ts';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import type { ProviderIdentity } from './providers/provider.ts';

/** An identity that a provider vouches for, in stored form. */
export interface VerifiedIdentity {
  readonly provider: string;
  readonly providerId: string;
  /** In canonical form; null if the provider gave none that we accept. */
  readonly email: string | null;
  /** Whether a trusted provider confirms that the address is theirs. */
  readonly isEmailProven: boolean;
}

/**
 * Checks the result of a provider's `identify`, which may be the app's own code.
 *
 * @throws Error if the provider's id for the identity can't be stored
 */
export function verifyIdentity(
  { id, isTrusted }: Pick<ConfiguredProvider, 'id' | 'isTrusted'>,
  { providerId, email, isEmailVerified }: ProviderIdentity,
): VerifiedIdentity {
  if (typeof providerId !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(providerId)) {
    throw new Error('The provider does not say who signed in.');
  }
  const canonical = typeof email === 'string' ? canonicalizeEmail(email) : null;
  return {
    provider: id,
    providerId,
    email: canonical,
    isEmailProven: isTrusted && isEmailVerified === true && canonical !== null,
  };
}
