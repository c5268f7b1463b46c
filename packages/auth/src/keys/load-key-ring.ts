import type { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, CompactSign, compactVerify } from 'jose';
import type { SigningAlgorithm } from '../config/auth-settings.ts';
import type { KeyRing, PublicJwk } from './key-ring.ts';
import { parsePrivateKey, parsePublicKey } from './parse-pem-key.ts';

/** The keys of a configuration, in PEM. */
export interface KeySource {
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: string | undefined;
  readonly publicKey: string | undefined;
  /** Public keys of the same algorithm that are no longer signed with. */
  readonly verificationKeys: readonly string[];
}

/**
 * Loads a key ring from PEM texts.
 *
 * @throws TypeError where a key is missing, unreadable, encrypted, too weak or of another type than the
 * algorithm needs, or the two do not belong together; the message names the key and prints nothing of it
 */
export async function loadKeyRing({ algorithm, ...source }: KeySource): Promise<KeyRing> {
  const signingKey = parsePrivateKey({ name: 'privateKey', pem: source.privateKey, algorithm });
  const publicKey = parsePublicKey({ name: 'publicKey', pem: source.publicKey, algorithm });
  await assertPair(algorithm, signingKey, publicKey);
  const olderKeys = source.verificationKeys.map((pem, index) =>
    parsePublicKey({ name: `verificationKeys[${index}]`, pem, algorithm }),
  );
  const entries = await Promise.all([publicKey, ...olderKeys].map((key) => toEntry(key, algorithm)));
  // A key listed twice is one key: the first spelling of its kid counts.
  const byKid = new Map(entries.toReversed().map((entry) => [entry.jwk.kid, entry]));
  const ordered = [...byKid.values()].toReversed();
  const [current] = ordered;
  if (current === undefined) throw new TypeError('publicKey is missing.');
  return Object.freeze({
    algorithm,
    kid: current.jwk.kid,
    signingKey,
    verificationKeys: new Map(ordered.map(({ jwk, key }) => [jwk.kid, key])),
    jwks: { keys: ordered.map(({ jwk }) => jwk) },
    secret: toSecret(signingKey),
  });
}

/** Signs and verifies once, which proves more than comparing public halves: a damaged private key fails too. */
async function assertPair(alg: SigningAlgorithm, privateKey: KeyObject, publicKey: KeyObject): Promise<void> {
  try {
    const sample = await new CompactSign(Buffer.from('app/key-pair')).setProtectedHeader({ alg }).sign(privateKey);
    await compactVerify(sample, publicKey);
  } catch {
    throw new TypeError('privateKey and publicKey do not belong together.');
  }
}

async function toEntry(key: KeyObject, algorithm: SigningAlgorithm): Promise<{ jwk: PublicJwk; key: KeyObject }> {
  return { jwk: await toPublicJwk(key, algorithm), key };
}

/** Only members that are public by RFC 7518 sections 6.2.1 and 6.3.1 are ever copied. */
async function toPublicJwk(key: KeyObject, alg: SigningAlgorithm): Promise<PublicJwk> {
  const { n = '', e = '', x = '', y = '' } = key.export({ format: 'jwk' });
  if (alg === 'RS256') {
    const members = { kty: 'RSA', n, e } as const;
    return { ...members, alg, use: 'sig', kid: await calculateJwkThumbprint(members) };
  }
  const members = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { ...members, alg, use: 'sig', kid: await calculateJwkThumbprint(members) };
}

function toSecret(privateKey: KeyObject): Uint8Array {
  return Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
}
