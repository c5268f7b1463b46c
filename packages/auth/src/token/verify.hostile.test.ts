import fc from 'fast-check';
import { constants, createHmac, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadKeyRing } from '../keys/key-ring.ts';
import { createAccessTokenForge, toBase64url } from '../testing/access-token-forge.ts';
import { createSigningKeys } from '../testing/signing-keys.ts';
import { createAccessTokenVerifier } from './verify.ts';

const keys = { RS256: createSigningKeys('RS256'), ES256: createSigningKeys('ES256') };

describe.each(['RS256', 'ES256'] as const)('an access token forged against %s', async (algorithm) => {
  const { privateKey, publicKey, source } = keys[algorithm];
  const forge = await createAccessTokenForge(keys[algorithm]);
  const { token, keyRing } = forge;
  const [header = '', payload = '', signature = ''] = token.split('.');
  const signingInput = `${header}.${payload}`;
  const payloadText = Buffer.from(payload, 'base64url').toString();
  const verifier = createAccessTokenVerifier(forge.options);
  // Everything below is refused although a cache holds the good token.
  await verifier.verify(token);

  const algorithmNames = ['none', 'None', 'nOnE', '', 'HS256', 'PS256', 'RS384', 'ES384', algorithm.toLowerCase()];

  it.each<Readonly<Record<string, unknown>>>([
    ...algorithmNames.map((alg) => ({ alg })),
    { alg: algorithm === 'RS256' ? 'ES256' : 'RS256' },
    { alg: [algorithm] },
    { alg: undefined },
    { typ: undefined },
    { typ: 'at+jwt' },
    { typ: 'jwt' },
    { kid: undefined },
    { kid: 'unknown' },
    { kid: '../../../../dev/null' },
    { kid: "' UNION SELECT 'key" },
    { kid: 'constructor' },
    { kid: { toString: 'x' } },
    { kid: [keyRing.kid] },
    { jwk: keyRing.jwks.keys[0] },
    { jku: 'https://evil.example.com/jwks.json' },
    { x5u: 'https://evil.example.com/cert.pem' },
    { x5c: ['MIIB'] },
    { crit: ['exp'] },
    { b64: false, crit: ['b64'] },
    { cty: 'JWT' },
    { constructor: {} },
  ])('is refused with %j in its header, though our key signed it', async (change) => {
    expect(await verifier.verify(forge.signWithHeader(change))).toBeNull();
  });

  it('is refused with __proto__ in its header', async () => {
    const headerText = JSON.stringify(forge.header).replace('{', '{"__proto__":{},');
    expect(await verifier.verify(forge.signTexts(headerText, payloadText))).toBeNull();
  });

  it.each([
    `${token}=`,
    `${token}==`,
    ` ${token}`,
    `${token}\n`,
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}==.${signature}`,
    `${header}. ${payload}.${signature}`,
    `${token}.`,
    `.${token}`,
    `${token}.${payload}.${signature}`,
    signingInput,
    `${signingInput}.`,
    `${header}..${signature}`,
    `.${payload}.${signature}`,
    `${signingInput}.${withStrayBits(signature)}`,
    `Bearer ${token}`,
    JSON.stringify({ protected: header, payload, signature }),
    JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
    '.'.repeat(1_000_000),
  ])('is refused in another encoding: case %#', async (spelling) => {
    expect(await verifier.verify(spelling)).toBeNull();
  });

  it('is refused with a payload that is not UTF-8', async () => {
    const bytes = Buffer.from(payloadText.replace('"plan"', '"plé"'), 'latin1').toString('base64url');
    const signed = sign('sha256', Buffer.from(`${header}.${bytes}`), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    expect(await verifier.verify(`${header}.${bytes}.${signed.toString('base64url')}`)).toBeNull();
  });

  it('is refused with an HMAC made with the public key or with a weak secret', async () => {
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const publicForms = [source.publicKey, source.publicKey.trim(), der, JSON.stringify(keyRing.jwks.keys[0])];
    const hmacHeader = toBase64url(JSON.stringify({ ...forge.header, alg: 'HS256' }));
    for (const secret of [...publicForms, ...readTestData<string>('weak-jwt-secrets')]) {
      for (const input of [signingInput, `${hmacHeader}.${payload}`]) {
        const mac = createHmac('sha256', secret).update(input).digest('base64url');
        expect(await verifier.verify(`${input}.${mac}`)).toBeNull();
      }
    }
  });

  it('is refused with our own signature in another encoding, padding or hash', async () => {
    const input = Buffer.from(signingInput);
    const other = {
      RS256: { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING },
      ES256: { key: privateKey, dsaEncoding: 'der' },
    } as const;
    expect(
      await verifier.verify(`${signingInput}.${sign('sha256', input, other[algorithm]).toString('base64url')}`),
    ).toBeNull();
    const sha512 = sign('sha512', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    expect(await verifier.verify(`${signingInput}.${sha512.toString('base64url')}`)).toBeNull();
  });

  it('is refused with the signature of another key, for every kid that it claims', async () => {
    const foreign = createSigningKeys(algorithm);
    const { kid } = await loadKeyRing(foreign.source);
    for (const headerText of [forge.header, { ...forge.header, kid }].map((each) => JSON.stringify(each))) {
      expect(await verifier.verify(forge.signTexts(headerText, payloadText, foreign.privateKey))).toBeNull();
    }
  });

  it('is refused as every invalid token of Wycheproof', async () => {
    const cases = readTestData<{ comment: string; jws: unknown }>('wycheproof-jws-invalid');
    expect(cases.length).toBeGreaterThan(100);
    for (const { comment, jws } of cases) {
      const text = typeof jws === 'string' ? jws : JSON.stringify(jws);
      expect(await verifier.verify(text), comment).toBeNull();
    }
  });

  it('is refused with the invalid signatures of Wycheproof, and with a damaged one', async () => {
    const cases = readTestData<{ comment: string; sig: string }>('wycheproof-es256-signatures');
    expect(cases.length).toBeGreaterThan(50);
    const good = Buffer.from(signature, 'base64url');
    const damaged = [
      Buffer.alloc(good.length),
      Buffer.alloc(good.length, 0xff),
      good.subarray(1),
      good.subarray(0, -1),
      Buffer.concat([good, Buffer.alloc(1)]),
      Buffer.concat([Buffer.alloc(1), good]),
    ];
    for (const bytes of [...cases.map(({ sig }) => Buffer.from(sig, 'hex')), ...damaged]) {
      expect(await verifier.verify(`${signingInput}.${bytes.toString('base64url')}`)).toBeNull();
    }
  });

  it.each([undefined, null, 7, {}, [], Symbol('token')])('is refused as the wrong type %s', async (value) => {
    expect(await verifier.verify(value as unknown as string)).toBeNull();
  });

  it('is refused after any change', async () => {
    const characters = fc.oneof(
      fc.string({ unit: fc.constantFrom('A', 'B', 'w', '0', '-', '_', '.', '=', '+', '/', ' '), maxLength: 2 }),
      fc.string({ maxLength: 2 }),
    );
    const isRefused = fc.asyncProperty(fc.nat(token.length), fc.nat(2), characters, async (at, removed, inserted) => {
      const changed = token.slice(0, at) + inserted + token.slice(at + removed);
      expect(await verifier.verify(changed)).toEqual(changed === token ? forge.claims : null);
    });
    await fc.assert(isRefused, { numRuns: process.env['DEEP'] ? 2000 : 500 });
  });

  it('is refused without an exception, for any text', async () => {
    const part = fc.oneof(fc.string({ unit: 'binary' }), fc.json().map(toBase64url), fc.base64String());
    const texts = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.'));
    const isRefused = fc.asyncProperty(texts, async (text) => {
      expect(await verifier.verify(text)).toBeNull();
    });
    await fc.assert(isRefused, { numRuns: process.env['DEEP'] ? 1000 : 250 });
  });
});

/** Spells the same bytes otherwise: the last character of these signatures has bits that no byte takes. */
function withStrayBits(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return signature.slice(0, -1) + alphabet.charAt(alphabet.indexOf(signature.slice(-1)) + 1);
}

function readTestData<Entry>(name: string): readonly Entry[] {
  return JSON.parse(readFileSync(new URL(`../../test-data/${name}.json`, import.meta.url), 'utf8'));
}
