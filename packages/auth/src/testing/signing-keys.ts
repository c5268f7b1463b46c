import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { SigningAlgorithm } from '../keys/parse-pem-key.ts';

/** A key pair, and its PEM texts as `loadKeyRing` takes them. */
export interface SigningKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly source: {
    readonly algorithm: SigningAlgorithm;
    readonly privateKey: string;
    readonly publicKey: string;
    readonly verificationKeys: readonly string[];
  };
}

/** Creates the keys of an algorithm; an RSA pair takes about 0.1 s. */
export function createSigningKeys(algorithm: SigningAlgorithm): SigningKeys {
  return toSigningKeys(algorithm, algorithm === 'RS256' ? generateRsa() : generateEc());
}

/** Presents any key pair as keys of an algorithm, whether it fits or not. */
export function toSigningKeys(
  algorithm: SigningAlgorithm,
  { privateKey, publicKey }: Pick<SigningKeys, 'privateKey' | 'publicKey'>,
): SigningKeys {
  const source = {
    algorithm,
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicKey: String(publicKey.export({ type: 'spki', format: 'pem' })),
    verificationKeys: [],
  };
  return { privateKey, publicKey, source };
}

function generateRsa(): Pick<SigningKeys, 'privateKey' | 'publicKey'> {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function generateEc(): Pick<SigningKeys, 'privateKey' | 'publicKey'> {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}
