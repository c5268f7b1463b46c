import { generateKeyPairSync } from 'node:crypto';

/** A private and a public key in PEM. */
export interface PemPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

const spki = { type: 'spki', format: 'pem' } as const;
const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;

/** Generates an RSA pair; with a passphrase its private half is encrypted. */
export function makeRsaPair(modulusLength = 2048, passphrase?: string): PemPair {
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: spki,
    privateKeyEncoding: { ...pkcs8, ...encryption },
  });
}

/** Generates a pair on an elliptic curve. */
export function makeEcPair(namedCurve: 'P-256' | 'P-384' = 'P-256'): PemPair {
  return generateKeyPairSync('ec', { namedCurve, publicKeyEncoding: spki, privateKeyEncoding: pkcs8 });
}

/** Returns the lines of a PEM that contain the key itself. */
export function secretLinesOf(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line.length > 16 && !line.startsWith('-----'));
}
