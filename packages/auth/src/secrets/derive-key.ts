import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** What a derived key is for. A key of one purpose is of no use for another. */
export type KeyPurpose = 'refresh' | 'mfa-challenge' | 'totp-at-rest' | 'oauth-state';

/**
 * Derives the 32-byte key of one purpose from a secret, by HKDF with SHA-256. The same arguments always
 * give the same key.
 *
 * @throws TypeError where the secret is empty
 * @see RFC 5869 section 3.2 for the purpose as `info`
 */
export function deriveKey(secret: string | Uint8Array, purpose: KeyPurpose): KeyObject {
  if (secret.length === 0) throw new TypeError('A key cannot be derived from an empty secret.');
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `app/${purpose}`, 32)));
}
