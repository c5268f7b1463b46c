import { ConfigurationError } from '@x/errors';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toSigningKeys } from '../testing/signing-keys.ts';
import { type KeySource, loadKeyRing } from './key-ring.ts';
import type { SigningAlgorithm } from './parse-pem-key.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const smallRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const rsaPss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const secp256k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
const ed25519 = generateKeyPairSync('ed25519');
const pairs = { RS256: rsa, ES256: ec } as const;
const otherPairs = { RS256: otherRsa, ES256: otherEc } as const;
const algorithms: readonly SigningAlgorithm[] = ['RS256', 'ES256'];

describe.each(algorithms)('loadKeyRing for %s', (algorithm) => {
  const source = toSigningKeys(algorithm, pairs[algorithm]).source;

  it('reads every PEM format, and finds the same key in all of them', async () => {
    const { privateKey, publicKey } = pairs[algorithm];
    const privateType = algorithm === 'RS256' ? 'pkcs1' : 'sec1';
    const privatePem = String(privateKey.export({ type: privateType as 'pkcs1', format: 'pem' }));
    const publicType = algorithm === 'RS256' ? 'pkcs1' : 'spki';
    const publicPem = String(publicKey.export({ type: publicType as 'spki', format: 'pem' }));
    const ring = await loadKeyRing(source);
    const same = await loadKeyRing({ ...source, privateKey: `\n${privatePem}`, publicKey: `${publicPem}  \n` });
    expect(same.jwks).toEqual(ring.jwks);
    expect(same.secret).toEqual(ring.secret);
    expect(ring.secret.length).toBeGreaterThanOrEqual(32);
  });

  it('publishes the public members, the use and the thumbprint, and nothing else', async () => {
    const { kid, jwks } = await loadKeyRing(source);
    const { kty, n, e, crv, x, y } = pairs[algorithm].publicKey.export({ format: 'jwk' });
    const members = algorithm === 'RS256' ? { e, kty, n } : { crv, kty, x, y };
    // RFC 7638 section 3: the required members, in lexicographic order, without white space.
    const thumbprint = createHash('sha256').update(JSON.stringify(members)).digest('base64url');
    expect(kid).toBe(thumbprint);
    expect(jwks).toEqual({ keys: [{ ...members, alg: algorithm, use: 'sig', kid: thumbprint }] });
  });

  it('lists older public keys after its own, each once', async () => {
    const older = toSigningKeys(algorithm, otherPairs[algorithm]).source.publicKey;
    const ring = await loadKeyRing({ ...source, verificationKeys: [older, source.publicKey, older] });
    expect([...ring.verificationKeys.keys()]).toEqual(ring.jwks.keys.map(({ kid }) => kid));
    expect(ring.jwks.keys).toHaveLength(2);
    expect(ring.jwks.keys[0]?.kid).toBe(ring.kid);
    expect([...ring.verificationKeys.values()].every(({ type }) => type === 'public')).toBe(true);
  });

  const wrongType = algorithm === 'RS256' ? ec : rsa;
  const unfit =
    algorithm === 'RS256' ? { smallRsa, rsaPss, ed25519, wrongType } : { p384, secp256k1, ed25519, wrongType };

  it.each(Object.entries(unfit))('refuses the unsuitable pair %s', async (_, pair) => {
    expect(await findProblems(toSigningKeys(algorithm, pair).source)).toEqual([
      expect.stringMatching(/^privateKey does not fit/),
      expect.stringMatching(/^publicKey does not fit/),
    ]);
    expect(await findRefusal({ ...source, publicKey: toSigningKeys(algorithm, pair).source.publicKey })).toMatch(
      /^publicKey does not fit/,
    );
    const verificationKeys = [source.publicKey, toSigningKeys(algorithm, pair).source.publicKey];
    expect(await findRefusal({ ...source, verificationKeys })).toMatch(/^verificationKeys\[1\] does not fit/);
  });

  it('refuses two keys that do not belong together', async () => {
    const { publicKey } = toSigningKeys(algorithm, otherPairs[algorithm]).source;
    expect(await findRefusal({ ...source, publicKey })).toMatch(/do not belong together/);
  });

  it('reports the problems of all keys together', async () => {
    const verificationKeys = ['garbage', source.publicKey, source.privateKey];
    expect(await findProblems({ ...source, privateKey: 'garbage', publicKey: undefined, verificationKeys })).toEqual([
      expect.stringMatching(/^privateKey must be/),
      expect.stringMatching(/^publicKey is missing/),
      expect.stringMatching(/^verificationKeys\[0\] must be/),
      expect.stringMatching(/^verificationKeys\[2\] must be/),
    ]);
    const { publicKey } = toSigningKeys(algorithm, otherPairs[algorithm]).source;
    expect(await findProblems({ ...source, publicKey, verificationKeys: ['garbage'] })).toEqual([
      expect.stringMatching(/^verificationKeys\[0\] must be/),
      expect.stringMatching(/do not belong together/),
    ]);
  });

  it('refuses a missing key', async () => {
    expect(await findRefusal({ ...source, privateKey: undefined })).toMatch(/^privateKey is missing/);
    expect(await findRefusal({ ...source, publicKey: undefined })).toMatch(/^publicKey is missing/);
    expect(await findRefusal({ ...source, privateKey: '' })).toMatch(/^privateKey is missing/);
    expect(await findRefusal({ ...source, publicKey: ' \n' })).toMatch(/^publicKey is missing/);
    expect(await findRefusal({ ...source, verificationKeys: [''] })).toMatch(/^verificationKeys\[0\] is missing/);
  });

  it('refuses an encrypted key', async () => {
    const { privateKey } = pairs[algorithm];
    const secret = { cipher: 'aes-256-cbc', passphrase: 'passphrase', format: 'pem' } as const;
    const pkcs8 = String(privateKey.export({ type: 'pkcs8', ...secret }));
    expect(await findRefusal({ ...source, privateKey: pkcs8 })).toMatch(/^privateKey is encrypted/);
    const traditional = algorithm === 'RS256' ? 'pkcs1' : 'sec1';
    const withHeaders = String(privateKey.export({ type: traditional as 'pkcs1', ...secret }));
    expect(await findRefusal({ ...source, privateKey: withHeaders })).toMatch(/^privateKey is encrypted/);
  });

  it('refuses the private key in place of the public one, and the other way round', async () => {
    expect(await findRefusal({ ...source, publicKey: source.privateKey })).toMatch(/^publicKey must be a public key/);
    const verificationKeys = [source.privateKey];
    expect(await findRefusal({ ...source, verificationKeys })).toMatch(/^verificationKeys\[0\] must be a public key/);
    expect(await findRefusal({ ...source, privateKey: source.publicKey })).toMatch(/^privateKey must be a private key/);
  });

  it('refuses text that is not PEM, and points out lost line breaks', async () => {
    const pem = source.privateKey;
    const base64 = pem.split('\n').slice(1, -2).join('');
    expect(await findRefusal({ ...source, privateKey: base64 })).toMatch(/^privateKey must be a private key in PEM/);
    expect(await findRefusal({ ...source, privateKey: pem.replaceAll('\n', '\\n') })).toMatch(
      /^privateKey contains the characters/,
    );
    expect(await findRefusal({ ...source, privateKey: `${pem}${pem}` })).toMatch(/^privateKey/);
    expect(await findRefusal({ ...source, privateKey: `x${pem}` })).toMatch(/^privateKey must be/);
    const certificate = source.publicKey.replaceAll('PUBLIC KEY', 'CERTIFICATE');
    expect(await findRefusal({ ...source, publicKey: certificate })).toMatch(/^publicKey must be a public key/);
  });

  it('refuses a damaged PEM', async () => {
    const lines = source.privateKey.split('\n');
    const truncated = [...lines.slice(0, 2), ...lines.slice(-2)].join('\n');
    expect(await findRefusal({ ...source, privateKey: truncated })).toMatch(/^privateKey cannot be read/);
    const publicLines = source.publicKey.split('\n');
    const garbage = [publicLines[0], 'AAAA', ...publicLines.slice(-2)].join('\n');
    expect(await findRefusal({ ...source, publicKey: garbage })).toMatch(/^publicKey cannot be read/);
    const relabelled = source.privateKey.replaceAll('PRIVATE KEY', 'PUBLIC KEY');
    expect(await findRefusal({ ...source, publicKey: relabelled })).toMatch(/^publicKey cannot be read/);
  });
});

it('loadKeyRing reads the output of `openssl ecparam -genkey`, with the curve before the key', async () => {
  const curve = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  const privateKey = curve + String(ec.privateKey.export({ type: 'sec1', format: 'pem' }));
  await expect(loadKeyRing({ ...toSigningKeys('ES256', ec).source, privateKey })).resolves.toMatchObject({
    algorithm: 'ES256',
  });
});

async function findRefusal(source: KeySource): Promise<string> {
  const problems = await findProblems(source);
  expect(problems).toHaveLength(1);
  return problems.join();
}

async function findProblems(source: KeySource): Promise<readonly string[]> {
  const error = await loadKeyRing(source).catch((refusal: unknown) => refusal);
  if (!(error instanceof ConfigurationError)) throw new TypeError('expected a ConfigurationError', { cause: error });
  const pems = [source.privateKey, source.publicKey, ...source.verificationKeys];
  const keyMaterial = pems.flatMap((pem = '') => pem.match(/[A-Za-z0-9+/]{12,}/g) ?? []);
  expect(error.cause).toBeUndefined();
  expect(keyMaterial.filter((part) => error.message.includes(part))).toEqual([]);
  return error.problems;
}
