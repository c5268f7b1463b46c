import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The purpose of a derived key. A key for one purpose is useless for another. */
export type KeyPurpose = 'refresh' | 'mfa-challenge' | 'totp-at-rest' | 'oauth-state';

/**
 * Derives the 32-byte key for one purpose from a secret, by HKDF with SHA-256. The same arguments always give the same
 * key.
 *
 * @throws TypeError if the secret is empty
 * @see RFC 5869 section 3.2 for the purpose as `info`
 */
export function deriveKey(secret: string | Uint8Array, purpose: KeyPurpose): KeyObject {
  if (secret.length === 0) throw new TypeError('A key cannot be derived from an empty secret.');
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `app/${purpose}`, 32)));
}
