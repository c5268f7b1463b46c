import { hmac } from '@oslojs/crypto/hmac';
import { SHA256, sha256 as digest } from '@oslojs/crypto/sha2';
import { constantTimeEqual } from '@oslojs/crypto/subtle';
import { encodeBase64urlNoPadding } from '@oslojs/encoding';

const utf8 = new TextEncoder();

/** Returns the SHA-256 of a text in UTF-8. @see FIPS 180-4 */
export function sha256(text: string): Uint8Array {
  return digest(utf8.encode(text));
}

/** Returns the form in which something secret and long is stored: its SHA-256, base64url. */
export function hashSecret(secret: string): string {
  return encodeBase64urlNoPadding(sha256(secret));
}

/** Returns the HMAC-SHA-256 of a message. @see RFC 2104 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmac(SHA256, key, message);
}

/** Says whether two texts are the same, in a time that depends on nothing but their lengths. */
export function isSameText(a: string, b: string): boolean {
  return isSame(utf8.encode(a), utf8.encode(b));
}

/** Says whether bytes are the same, in a time that depends on nothing but their number. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return constantTimeEqual(a, b);
}
