import type { AuthConfig } from '../config/auth-config.ts';
import { deriveKey, type KeyPurpose } from '../secrets/derive-key.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';

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
