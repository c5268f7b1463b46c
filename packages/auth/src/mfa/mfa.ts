import { CodedError } from '@x/errors';
import { requireActive } from '../account/confirm-password.ts';
import type { AuthContext } from '../auth-context.ts';
import type { AuthConfig } from '../config/auth-config.ts';
import type { RequestContext } from '../request/request-context.ts';
import { deriveKey, type KeyPurpose } from '../secrets/derive-key.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';
import { requireClaims } from '../session/get-session.ts';

/** What second factors work with, if the app has them. */
export interface MfaParts {
  /** The name that authenticator apps show next to the codes. */
  readonly issuer: string;
  /** Encrypts the secrets of authenticator apps, each in the context of its user's id. */
  readonly secrets: Sealer;
  /** Encrypts the challenges that travel in cookies. */
  readonly challenges: Sealer;
}

/** Builds the parts; null if the app has no second factors. */
export function createMfaParts({ mfa, oauthEncryptionKey, baseUrl }: AuthConfig): MfaParts | null {
  if (!mfa.enabled) return null;
  const sealer = (purpose: KeyPurpose): Sealer =>
    createSealer(oauthEncryptionKey.map((secret) => deriveKey(secret, purpose)));
  return {
    issuer: mfa.issuer ?? new URL(baseUrl ?? 'http://localhost').hostname,
    secrets: sealer('totp-at-rest'),
    challenges: sealer('mfa-challenge'),
  };
}

/**
 * Returns the parts of second factors.
 *
 * @throws CodedError `NOT_FOUND` if they are not enabled
 */
export function requireMfa({ mfa }: Pick<AuthContext, 'mfa'>): MfaParts {
  if (mfa === null) throw new CodedError('NOT_FOUND', 'MFA is not enabled.');
  return mfa;
}

/** Whether a user has a second factor. */
export interface MfaStatus {
  readonly enabled: boolean;
  /** 0 if it is off. */
  readonly backupCodesRemaining: number;
}

/**
 * Tells the caller whether their second factor is on.
 *
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function getMfaStatus(auth: AuthContext, { headers }: RequestContext): Promise<MfaStatus> {
  requireMfa(auth);
  const { sid } = await requireClaims(auth, headers);
  const { user } = await requireActive(auth, sid);
  const factor = await auth.stores.mfa.find(user.id);
  return { enabled: factor !== null, backupCodesRemaining: factor?.backupCodesRemaining ?? 0 };
}
