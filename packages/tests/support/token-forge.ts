import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key pair, and its PEM texts. */
export interface TestKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As the configuration takes them. */
  readonly pem: { readonly privateKey: string; readonly publicKey: string };
}

/** The parts of a JWT. */
export interface TokenParts {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Generates a key pair: P-256 unless another curve, or `rsa`, is requested. */
export function generateKeys(kind: 'rsa' | 'P-256' | 'P-384' = 'P-256'): TestKeys {
  const pair: Pick<TestKeys, 'privateKey' | 'publicKey'> =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: kind });
  const pem = {
    privateKey: String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicKey: String(pair.publicKey.export({ type: 'spki', format: 'pem' })),
  };
  return { ...pair, pem };
}

/** Reads the parts of a JWT without verifying anything. */
export function readToken(token: string): TokenParts {
  const [header = '', payload = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header), payload: JSON.parse(payload) } as TokenParts;
}

/** Spells a JWT with any signature. */
export function encodeToken({ header, payload }: TokenParts, makeSignature: (input: Buffer) => Buffer): string {
  const input = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${input}.${makeSignature(Buffer.from(input)).toString('base64url')}`;
}

/** Returns a function that signs with SHA-256, with ECDSA signatures as in RFC 7518 section 3.4. */
export function signer(key: KeyObject): (input: Buffer) => Buffer {
  return (input) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' });
}
