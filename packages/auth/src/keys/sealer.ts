import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { fromBase64url } from './base64url.ts';

/** Encrypts texts so that only holders of the key can read or make them. */
export interface Sealer {
  /**
   * Encrypts a text. It can be decrypted only in the same context, such as the id of the user it is about. Encrypting a
   * text twice gives different results.
   */
  seal(text: string, context?: string): string;
  /** Decrypts a text that one of the keys encrypted in this context; null for anything else. Never throws. */
  open(sealed: string, context?: string): string | null;
  /** Says whether a text that can be decrypted was encrypted with the current key. */
  isCurrent(sealed: string): boolean;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** A multiple of three, so that the encoded id begins the encoded text. */
const keyIdBytes = 6;
const keyIdLength = 8;

/**
 * Creates a sealer from a list of keys: the current one first, then older ones, which only decrypt.
 *
 * A sealed text is base64url(key id ‖ iv ‖ ciphertext ‖ tag) of AES-256-GCM with a random 96-bit iv; the context is
 * authenticated with it. The key id is 48 bits that HKDF derives from the key, so it reveals nothing of it; as the
 * first eight characters of the text, it also tells SQL which key a column still needs.
 *
 * @throws TypeError if there is no key
 * @see NIST SP 800-38D section 8.2.2
 */
export function createSealer(keys: readonly KeyObject[]): Sealer {
  const [current] = keys;
  if (current === undefined) throw new TypeError('A sealer needs at least one key.');
  const currentId = toKeyId(current);
  const keysById = new Map(keys.map((key) => [toKeyId(key).toString('base64url'), key]));
  return {
    seal: (text, context = '') => Buffer.concat([currentId, encrypt(current, text, context)]).toString('base64url'),
    open(sealed, context = '') {
      const key = keysById.get(sealed.slice(0, keyIdLength));
      const bytes = fromBase64url(sealed);
      if (key === undefined || bytes === null || bytes.length < keyIdBytes + ivBytes + tagBytes) return null;
      return decrypt(key, bytes.subarray(keyIdBytes), context);
    },
    isCurrent: (sealed) => sealed.startsWith(currentId.toString('base64url')),
  };
}

function toKeyId(key: KeyObject): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'app/key-id', keyIdBytes));
}

function encrypt(key: KeyObject, text: string, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, bytes: Buffer, context: string): string | null {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decipher.update(bytes.subarray(ivBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString();
  } catch {
    return null;
  }
}

/** The purpose of a derived key. A key for one purpose is useless for another. */
export type KeyPurpose = 'refresh' | 'mfa-challenge' | 'totp-at-rest' | 'oauth-state' | 'cursor';

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
