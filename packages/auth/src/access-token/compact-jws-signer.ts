import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlgorithm } from '../config/auth-settings.ts';
import type { KeyRing } from '../keys/key-ring.ts';

/** Signs payloads with one key. */
export interface CompactJwsSigner {
  /** Returns the compact serialization of RFC 7515 section 7.1. */
  sign(payload: object): Promise<string>;
}

/** Creates a signer that names the key in the header, and calls the token a JWT. */
export function createCompactJwsSigner({ algorithm, kid, signingKey }: KeyRing): CompactJwsSigner {
  const header = encode({ alg: algorithm, kid, typ: 'JWT' });
  const toSignature = signatures[algorithm];
  return {
    async sign(payload) {
      const input = `${header}.${encode(payload)}`;
      const signature = await toSignature(Buffer.from(input), signingKey);
      return `${input}.${signature.toString('base64url')}`;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const signInPool = promisify(sign);

/**
 * RFC 7518 sections 3.3 and 3.4. An RSA signature takes a quarter of a millisecond, for which a thread of libuv's pool is
 * worth asking; one with an elliptic curve takes less than asking does.
 */
const signatures: Readonly<Record<SigningAlgorithm, (input: Buffer, key: KeyObject) => Buffer | Promise<Buffer>>> = {
  RS256: (input, key) => signInPool('sha256', input, key),
  ES256: (input, key) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
};
