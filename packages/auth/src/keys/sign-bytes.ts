import { sign, verify, type KeyObject } from 'node:crypto';
import type { KeyAlgorithm } from './key-ring.ts';

/** ES256 signatures are R ‖ S, 32 bytes each, never DER. See RFC 7518 section 3.4. */
const dsaEncoding = 'ieee-p1363';

/** A signature and what it should be a signature of. */
export interface SignedBytes {
  readonly algorithm: KeyAlgorithm;
  readonly key: KeyObject;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Signs bytes with the algorithm that the key's type stands for: RS256 or ES256.
 *
 * Synchronous on purpose: a signature takes 0.03 to 0.3 ms, and on libuv's threads it would wait behind
 * password hashes.
 */
export function signBytes(key: KeyObject, bytes: Uint8Array): Buffer {
  return sign('sha256', bytes, { key, dsaEncoding });
}

/** Verifies a signature. False, never an error, whatever the signature holds. */
export function verifyBytes({ algorithm, key, bytes, signature }: SignedBytes): boolean {
  if (algorithm === 'ES256' && signature.length !== 64) return false;
  return verify('sha256', bytes, { key, dsaEncoding }, signature);
}
