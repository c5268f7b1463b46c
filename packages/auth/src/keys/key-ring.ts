import { ConfigurationError } from '@x/errors';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { type KeyObject, sign, verify } from 'node:crypto';
import { type ParsedKey, parsePrivateKey, parsePublicKey, type SigningAlgorithm } from './parse-pem-key.ts';

interface PublicJwkUse {
  readonly alg: SigningAlgorithm;
  readonly use: 'sig';
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
}

/** The public half of a signing key, in the form of RFC 7517. */
type PublicJwk =
  | (PublicJwkUse & { readonly kty: 'RSA'; readonly n: string; readonly e: string })
  | (PublicJwkUse & { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string });

/** The key that signs, and all keys whose signatures are accepted. */
export interface KeyRing {
  readonly algorithm: SigningAlgorithm;
  /** Names the signing key. */
  readonly kid: string;
  readonly signingKey: KeyObject;
  /** By `kid`; the public half of the signing key first, then older keys. */
  readonly verificationKeys: ReadonlyMap<string, KeyObject>;
  /** The public keys that verify our tokens, in the order of {@link KeyRing.verificationKeys}. */
  readonly jwks: { readonly keys: readonly PublicJwk[] };
  /**
   * The private number of the signing key, for key derivation. The same key gives the same bytes in every PEM format.
   */
  readonly secret: Uint8Array;
}

/** The keys of a configuration, in PEM. */
export interface KeySource {
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: string | undefined;
  readonly publicKey: string | undefined;
  /** Further public keys of the same algorithm, which no longer sign. */
  readonly verificationKeys: readonly string[];
}

/**
 * Loads a key ring from PEM texts.
 *
 * @throws ConfigurationError with every problem: a key is missing, unreadable, encrypted, too weak or of the wrong type
 * for the algorithm, or the two do not belong together. Each problem names its key and contains nothing of it.
 */
export async function loadKeyRing(source: KeySource): Promise<KeyRing> {
  const { algorithm } = source;
  const { signing, published, older, problems } = parseKeys(source);
  if (!signing.ok || !published.ok || problems.length > 0) throw new ConfigurationError(problems);

  const current = await toEntry(published.key, algorithm);
  const olderKeys = older.flatMap((parsed) => (parsed.ok ? [parsed.key] : []));
  const entries = [current, ...(await Promise.all(olderKeys.map((key) => toEntry(key, algorithm))))];
  // A key that is listed twice counts once.
  const distinct = [...new Map(entries.map((entry) => [entry.jwk.kid, entry])).values()];
  return Object.freeze({
    algorithm,
    kid: current.jwk.kid,
    signingKey: signing.key,
    verificationKeys: new Map(distinct.map(({ jwk, key }) => [jwk.kid, key])),
    jwks: { keys: distinct.map(({ jwk }) => jwk) },
    secret: toPrivateNumber(signing.key),
  });
}

/** Finds the problems of {@link loadKeyRing} in those keys of a configuration that are given. */
export function findKeyProblems(source: KeySource): readonly string[] {
  const { signing, published, problems } = parseKeys(source);
  const isMissing = [
    ...(source.privateKey === undefined && !signing.ok ? [signing.problem] : []),
    ...(source.publicKey === undefined && !published.ok ? [published.problem] : []),
  ];
  return problems.filter((problem) => !isMissing.includes(problem));
}

/** The usable keys of a configuration, and the problems of the others. */
interface ParsedKeys {
  readonly signing: ParsedKey;
  readonly published: ParsedKey;
  readonly older: readonly ParsedKey[];
  readonly problems: readonly string[];
}

function parseKeys({ algorithm, privateKey, publicKey, verificationKeys }: KeySource): ParsedKeys {
  const signing = parsePrivateKey({ name: 'privateKey', pem: privateKey, algorithm });
  const published = parsePublicKey({ name: 'publicKey', pem: publicKey, algorithm });
  const older = verificationKeys.map((pem, index) =>
    parsePublicKey({ name: `verificationKeys[${index}]`, pem, algorithm }),
  );
  const problems = [signing, published, ...older].flatMap((parsed) => (parsed.ok ? [] : [parsed.problem]));
  if (signing.ok && published.ok && !isPair(signing.key, published.key)) {
    problems.push('privateKey and publicKey do not belong together.');
  }
  return { signing, published, older, problems };
}

/**
 * Signs and verifies once, which proves more than comparing the public halves: it also detects a damaged private key.
 */
function isPair(privateKey: KeyObject, publicKey: KeyObject): boolean {
  try {
    const sample = Buffer.from('app/key-pair');
    return verify('sha256', sample, publicKey, sign('sha256', sample, privateKey));
  } catch {
    return false;
  }
}

async function toEntry(key: KeyObject, algorithm: SigningAlgorithm): Promise<{ jwk: PublicJwk; key: KeyObject }> {
  return { jwk: await toPublicJwk(key, algorithm), key };
}

/** Copies only members that are public by RFC 7518 sections 6.2.1 and 6.3.1. */
async function toPublicJwk(key: KeyObject, alg: SigningAlgorithm): Promise<PublicJwk> {
  const { n = '', e = '', x = '', y = '' } = key.export({ format: 'jwk' });
  if (alg === 'RS256') {
    const members = { kty: 'RSA', n, e } as const;
    return { ...members, alg, use: 'sig', kid: await calculateJwkThumbprint(members) };
  }
  const members = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { ...members, alg, use: 'sig', kid: await calculateJwkThumbprint(members) };
}

/** Returns the private number of a key: the same bytes for every PEM format. */
export function toPrivateNumber(privateKey: KeyObject): Uint8Array {
  return Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
}
