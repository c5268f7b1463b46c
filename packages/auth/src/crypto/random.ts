import { generateRandomString, type RandomReader } from '@oslojs/crypto/random';
import { encodeBase64urlNoPadding } from '@oslojs/encoding';

/** Returns random bytes of the platform's generator. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Creates a token of random bytes, 32 by default, in base64url. */
export function randomToken(length = 32): string {
  return encodeBase64urlNoPadding(randomBytes(length));
}

/** Creates a code of characters of an alphabet, each of which is as likely as the others. */
export function randomCode(alphabet: string, length: number): string {
  return generateRandomString(reader, alphabet, length);
}

const reader: RandomReader = { read: (bytes) => bytes.set(randomBytes(bytes.length)) };
