import type { AuthConfig } from '../config/auth-config.ts';
import { deriveKey, type KeyPurpose } from '../secrets/derive-key.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';

/** What the second factor works with where the app has it. */
export interface MfaParts {
  /** What authenticator apps show beside the codes. */
  readonly issuer: string;
  /** Seals the secrets of authenticator apps, each in the context of its user's id. */
  readonly secrets: Sealer;
  /** Seals what waits for a code in a cookie. */
  readonly challenges: Sealer;
}

/** Builds the parts; null where the app has no second factor. */
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
