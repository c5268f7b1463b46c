import { CodedError } from '@x/errors';
import type { TransactionStores, UserId } from '@x/store';
import { createSealer, deriveKey, type KeyPurpose, type Sealer } from '../keys/sealer.ts';
import type { PasswordDependencies } from '../password/password.ts';
import type { CookieConfig } from '../session/cookies.ts';
import type { FeatureDependencies } from '../session/session.ts';

/** The settings of second factors. */
export interface MfaConfig {
  readonly mfa: { readonly enabled: false } | { readonly enabled: true; readonly issuer?: string | undefined };
  /** The current secret first; empty if no feature needs one. */
  readonly oauthEncryptionKey: readonly string[];
  readonly baseUrl?: string | undefined;
}

/** The dependencies of second factors. */
export interface MfaDependencies extends FeatureDependencies {
  readonly config: CookieConfig & {
    /** The providers that a user may prove with who they are. */
    readonly providers: readonly { readonly id: string }[];
  };
  /** Null if the app has no second factors. */
  readonly enabled: EnabledMfa | null;
  readonly passwords: PasswordDependencies;
}

/** The dependencies of second factors in an app that has them enabled. */
export interface EnabledMfa {
  /** The name that authenticator apps show next to the codes. */
  readonly issuer: string;
  /** Encrypts the secrets of authenticator apps, each in the context of its user's id. */
  readonly secrets: Sealer;
  /** Encrypts the challenges that browsers keep in a cookie. */
  readonly challenges: Sealer;
}

/** Returns null if the app has no second factors. */
export function enableMfa({ mfa, oauthEncryptionKey, baseUrl }: MfaConfig): EnabledMfa | null {
  if (!mfa.enabled) return null;
  const sealer = (purpose: KeyPurpose): Sealer =>
    createSealer(oauthEncryptionKey.map((secret) => deriveKey(secret, purpose)));
  return {
    issuer: mfa.issuer ?? new URL(baseUrl ?? 'http://localhost').hostname,
    secrets: sealer('totp-at-rest'),
    challenges: sealer('mfa-challenge'),
  };
}

/** @throws CodedError `NOT_FOUND` if the app has no second factors */
export function requireMfa({ enabled }: Pick<MfaDependencies, 'enabled'>): EnabledMfa {
  if (enabled === null) throw new CodedError('NOT_FOUND', 'MFA is not enabled.');
  return enabled;
}

/** Says whether a user has a second factor that counts: one that the app has disabled does not. */
export async function hasSecondFactor(
  { enabled }: Pick<MfaDependencies, 'enabled'>,
  stores: Pick<TransactionStores, 'mfa'>,
  userId: UserId,
): Promise<boolean> {
  return enabled !== null && (await stores.mfa.find(userId)) !== null;
}

/** Builds the error for an account without a second factor. */
export function mfaNotEnabled(): CodedError {
  return new CodedError('MFA_NOT_ENABLED', 'MFA is not on.');
}
