import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** The algorithms that session JWTs can be signed with (RFC 7518 section 3.1). */
export type SigningAlgorithm = 'RS256' | 'ES256';

/** A key in a PEM text, and the name of the setting that it came from. */
export interface PemKey {
  /** The name used in problems, such as `privateKey`. */
  readonly name: string;
  readonly pem: string | undefined;
  readonly algorithm: SigningAlgorithm;
}

/** A usable key, or why it is not usable: a sentence that names the key and contains nothing of it. */
export type ParsedKey =
  { readonly ok: true; readonly key: KeyObject } | { readonly ok: false; readonly problem: string };

/** One PEM block; `openssl ecparam -genkey` writes the curve in a block before it. See RFC 7468 section 2. */
const block =
  /^(?:-----BEGIN EC PARAMETERS-----[^-]+-----END EC PARAMETERS-----\s+)?(-----BEGIN ([A-Z0-9 ]+)-----[^-]+(?:-[^-]+)*-----END \2-----)$/;

const privateLabels = ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'];
const publicLabels = ['PUBLIC KEY', 'RSA PUBLIC KEY'];

/** Parses a private key in PKCS#8, PKCS#1 or SEC1 PEM, and checks that it can sign with the algorithm. */
export function parsePrivateKey(key: PemKey): ParsedKey {
  return parse(key, { ...privateKind, fit: fitOf(key.algorithm) });
}

/**
 * Parses a private key of any algorithm: one that signed before names a secret that was derived from it.
 *
 * @param name - names the key in problems
 */
export function parseFormerKey(name: string, pem: string): ParsedKey {
  return parse({ name, pem }, { ...privateKind, fit: () => null });
}

/** Parses a public key in SPKI or PKCS#1 PEM, and checks that the algorithm can verify with it. */
export function parsePublicKey(key: PemKey): ParsedKey {
  return parse(key, {
    labels: publicLabels,
    expected: 'a public key in PEM: SPKI or PKCS#1',
    create: createPublicKey,
    fit: fitOf(key.algorithm),
  });
}

const privateKind = {
  labels: privateLabels,
  expected: 'a private key in PEM: PKCS#8, PKCS#1 or SEC1',
  create: createPrivateKey,
} as const;

/** Says why a key does not suit an algorithm. */
function fitOf(algorithm: SigningAlgorithm): KeyKind['fit'] {
  return (key) => {
    const problem = findProblem[algorithm](key);
    return problem === null ? null : `does not fit ${algorithm}: ${problem}`;
  };
}

interface KeyKind {
  readonly labels: readonly string[];
  readonly expected: string;
  readonly create: (pem: string) => KeyObject;
  /** Says why a key that was read is not usable. */
  readonly fit: (key: KeyObject) => string | null;
}

/** The label of the block decides, because Node would accept a private key as a public one. */
function parse({ name, pem = '' }: Omit<PemKey, 'algorithm'>, { labels, expected, create, fit }: KeyKind): ParsedKey {
  const text = pem.trim();
  const refuse = (problem: string): ParsedKey => ({ ok: false, problem: `${name} ${problem}.` });
  if (text === '') return refuse('is missing');
  if (text.includes('\\n')) return refuse('contains the characters \\n where line breaks should be');
  if (/ENCRYPTED/.test(text)) return refuse('is encrypted; it has to be given without a passphrase');
  const [, found, label = ''] = block.exec(text) ?? [];
  if (found === undefined || !labels.includes(label)) return refuse(`must be ${expected}`);
  const key = tryCreate(() => create(found));
  if (key === null) return refuse('cannot be read: its PEM is damaged or of an unknown kind');
  const problem = fit(key);
  return problem === null ? { ok: true, key } : refuse(problem);
}

/** The runtime's error is dropped, because it may quote the input. */
function tryCreate(create: () => KeyObject): KeyObject | null {
  try {
    return create();
  } catch {
    return null;
  }
}

/** Says why a key does not suit an algorithm. See RFC 7518 sections 3.3 and 3.4. */
const findProblem: Readonly<Record<SigningAlgorithm, (key: KeyObject) => string | null>> = {
  RS256: ({ asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }) => {
    if (type !== 'rsa') return `it is a key of type ${type}, not rsa`;
    if (modulusLength < 2048) return `it has ${modulusLength} bits, fewer than 2048`;
    return publicExponent < 3n || publicExponent % 2n === 0n ? 'its public exponent is unusable' : null;
  },
  ES256: ({ asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve } = {} }) => {
    if (type !== 'ec') return `it is a key of type ${type}, not ec`;
    return namedCurve === 'prime256v1' ? null : `its curve is ${namedCurve}, not P-256 (prime256v1)`;
  },
};
