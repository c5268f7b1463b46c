import type { KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadKeyRing } from '../keys/key-ring.ts';
import { type AccessTokenForge, createAccessTokenForge } from '../testing/access-token-forge.ts';
import { createSigningKeys } from '../testing/signing-keys.ts';
import { toPayload } from './claims.ts';
import { type AccessTokenVerifier, createAccessTokenVerifier } from './verify.ts';

const keys = { RS256: createSigningKeys('RS256'), ES256: createSigningKeys('ES256') };

describe.each(['RS256', 'ES256'] as const)('createAccessTokenVerifier with %s', (algorithm) => {
  let forge: AccessTokenForge;
  let verifier: AccessTokenVerifier;

  beforeEach(async () => {
    forge = await createAccessTokenForge(keys[algorithm]);
    verifier = createAccessTokenVerifier(forge.options);
  });

  it('returns the claims of an issued token, frozen all the way down', async () => {
    const uncached = await verifier.verify(forge.token);
    const cached = await verifier.verify(forge.token);
    expect(uncached).toEqual(forge.claims);
    expect(cached).toEqual(forge.claims);
    expect(isDeeplyFrozen(cached)).toBe(true);
  });

  it('accepts tokens that the tests sign themselves, so that their refusals mean something', async () => {
    expect(await verifier.verify(forge.signWithHeader({}))).toEqual(forge.claims);
    expect(await verifier.verify(forge.signWithPayload({ nbf: forge.claims.iat }))).toEqual(forge.claims);
  });

  it('refuses a token at its expiry, cached or not', async () => {
    forge.clock.advance(59_999);
    expect(await verifier.verify(forge.token)).toEqual(forge.claims);
    forge.clock.advance(1);
    expect(await verifier.verify(forge.token)).toBeNull();
    expect(await createAccessTokenVerifier(forge.options).verify(forge.token)).toBeNull();
    forge.clock.advance(3_600_000);
    expect(await verifier.verify(forge.token)).toBeNull();
  });

  it.each(['iat', 'nbf'])('refuses a token whose %s is more than 5 s ahead, cached or not', async (name) => {
    const now = forge.clock.now().getTime() / 1000;
    expect(await verifier.verify(forge.signWithPayload({ [name]: now + 5 }))).not.toBeNull();
    const early = forge.signWithPayload({ [name]: now + 6 });
    expect(await verifier.verify(early)).toBeNull();
    forge.clock.advance(1000);
    expect(await verifier.verify(early)).not.toBeNull();
    forge.clock.advance(-1);
    expect(await verifier.verify(early)).toBeNull();
  });

  it.each([
    ['no exp', { exp: undefined }],
    ['exp as text', { exp: '1767225660' }],
    ['exp beyond all numbers', { exp: 1e308 }],
    ['nbf as text', { nbf: '0' }],
    ['nbf null', { nbf: null }],
    ['no iat', { iat: undefined }],
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['an issuer with a slash more', { iss: 'https://app.example.com/' }],
    ['another audience', { aud: 'another-app' }],
    ['a list of audiences', { aud: ['the-app'] }],
    ['no audience', { aud: undefined }],
    ['no session', { sid: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is an object', { sub: { $ne: '' } }],
    ['a role that is a list', { role: ['admin'] }],
  ])('refuses a payload with %s', async (_, change) => {
    expect(await verifier.verify(forge.signWithPayload(change))).toBeNull();
  });

  it.each(['', 'null', '[]', '"text"', '7', '{', '{}'])('refuses the payload %j', async (payload) => {
    expect(await verifier.verify(forge.signTexts(JSON.stringify(forge.header), payload))).toBeNull();
  });

  it('refuses a payload that starts with a byte order mark', async () => {
    const payload = JSON.stringify(toPayload(forge.claims));
    expect(await verifier.verify(forge.signTexts(JSON.stringify(forge.header), payload))).toEqual(forge.claims);
    expect(await verifier.verify(forge.signTexts(JSON.stringify(forge.header), `\uFEFF${payload}`))).toBeNull();
  });

  it('accepts tokens of an older key while that is configured', async () => {
    const successor = createSigningKeys(algorithm).source;
    const older = [keys[algorithm].source.publicKey];
    const rotated = { ...forge.options, keyRing: await loadKeyRing({ ...successor, verificationKeys: older }) };
    expect(await createAccessTokenVerifier(rotated).verify(forge.token)).toEqual(forge.claims);
    const withoutOlder = { ...forge.options, keyRing: await loadKeyRing(successor) };
    expect(await createAccessTokenVerifier(withoutOlder).verify(forge.token)).toBeNull();
  });

  it('does not verify tokens above 8 KiB', async () => {
    const room = 8192 - forge.signWithPayload({ pad: '' }).length;
    const longest = forge.signWithPayload({ pad: 'x'.repeat(Math.floor(room * 0.75) - 2) });
    expect(longest.length).toBeGreaterThan(8180);
    expect(longest.length).toBeLessThanOrEqual(8192);
    expect(await verifier.verify(longest)).not.toBeNull();
    expect(await verifier.verify(forge.signWithPayload({ pad: 'x'.repeat(Math.ceil(room * 0.75) + 3) }))).toBeNull();
  });
});

describe('the cache of verified tokens', async () => {
  const forge = await createAccessTokenForge(keys.ES256);

  it('is consulted before any key', async () => {
    const { verifier, verificationKeys } = createVerifierWithKeys(forge);
    expect(await verifier.verify(forge.token)).toEqual(forge.claims);
    verificationKeys.clear();
    expect(await verifier.verify(forge.token)).toEqual(forge.claims);
    expect(await verifier.verify(forge.signWithPayload({ ver: 1 }))).toBeNull();
  });

  it('stores successes only', async () => {
    const { verifier, verificationKeys } = createVerifierWithKeys(forge);
    verificationKeys.clear();
    expect(await verifier.verify(forge.token)).toBeNull();
    for (const [kid, key] of forge.keyRing.verificationKeys) verificationKeys.set(kid, key);
    expect(await verifier.verify(forge.token)).toEqual(forge.claims);
  });

  it('is limited by the length of all tokens', async () => {
    const { verifier, verificationKeys } = createVerifierWithKeys(forge, 2.5 * forge.token.length);
    const tokens = [forge.token, forge.signWithPayload({ ver: 1 }), forge.signWithPayload({ ver: 2 })];
    for (const token of tokens) expect(await verifier.verify(token)).not.toBeNull();
    verificationKeys.clear();
    const again = await Promise.all(tokens.map(async (token) => verifier.verify(token)));
    expect(again).toMatchObject([null, { ver: 1 }, { ver: 2 }]);
  });
});

function createVerifierWithKeys(
  { options, keyRing }: AccessTokenForge,
  maxCachedLength = 100_000,
): { verifier: AccessTokenVerifier; verificationKeys: Map<string, KeyObject> } {
  const verificationKeys = new Map(keyRing.verificationKeys);
  const verifier = createAccessTokenVerifier({
    ...options,
    keyRing: { ...keyRing, verificationKeys },
    maxCachedLength,
  });
  return { verifier, verificationKeys };
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}
