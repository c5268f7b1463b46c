import type { SessionId } from '@x/store';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deriveKey } from '../keys/sealer.ts';
import { createRefreshTokens, hashRefreshToken, type ParsedRefreshToken } from './refresh-token.ts';

const sessionId = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as SessionId;
const salt = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const key = deriveKey('a secret of the app', 'refresh');
const oldKey = deriveKey('an older secret', 'refresh');
const tokens = createRefreshTokens([key]);

/** Computed by another implementation (Python's hmac) for generation 7. */
const vector = 'a6e4EJ2tEdGAtADAT9QwyAAAAAeA00JqdjLSdaEE1KBB5HIDPUSgxmawRFQahhmjhbGQ6A';

describe('createRefreshTokens', () => {
  it('derives the token that the format prescribes', () => {
    expect(tokens.derive({ sessionId, generation: 7, salt })).toBe(vector);
  });

  it('derives one token for one seed, and another for any other', () => {
    const other = randomBytes(32).toString('base64url');
    const otherId = crypto.randomUUID() as SessionId;
    const seeds = [
      { sessionId, generation: 0, salt },
      { sessionId, generation: 1, salt },
      { sessionId, generation: 0xffff_ffff, salt },
      { sessionId, generation: 0, salt: other },
      { sessionId: otherId, generation: 0, salt },
    ];
    const derived = seeds.map((seed) => tokens.derive(seed));
    expect(new Set(derived).size).toBe(seeds.length);
    expect(seeds.map((seed) => tokens.derive(seed))).toEqual(derived);
  });

  it('parses and verifies a token that it derived', () => {
    const generations = fc.integer({ min: 0, max: 0xffff_ffff });
    fc.assert(
      fc.property(fc.uuid(), generations, fc.uint8Array({ minLength: 32, maxLength: 32 }), (id, generation, bytes) => {
        const seed = { sessionId: id as SessionId, generation, salt: Buffer.from(bytes).toString('base64url') };
        const parsed = parse(tokens.derive(seed));
        expect(parsed).toMatchObject({ sessionId: id, generation });
        expect(tokens.verify(parsed, seed.salt)).toBe(true);
      }),
    );
  });

  it('refuses a token with another salt, of another key, or forged for a known session', () => {
    expect(tokens.verify(parse(vector), randomBytes(32).toString('base64url'))).toBe(false);
    expect(createRefreshTokens([oldKey]).verify(parse(vector), salt)).toBe(false);
    const forged = Buffer.concat([Buffer.from(vector, 'base64url').subarray(0, 20), randomBytes(32)]);
    expect(tokens.verify(parse(forged.toString('base64url')), salt)).toBe(false);
  });

  it('refuses a token with any bit changed', () => {
    const bytes = Buffer.from(vector, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(tokens.verify(parse(changed.toString('base64url')), salt)).toBe(false);
    }
  });

  it('derives with the first key and verifies with all', () => {
    const rotated = createRefreshTokens([oldKey, key]);
    expect(rotated.verify(parse(vector), salt)).toBe(true);
    expect(rotated.derive({ sessionId, generation: 7, salt })).not.toBe(vector);
    expect(tokens.verify(parse(rotated.derive({ sessionId, generation: 7, salt })), salt)).toBe(false);
  });

  it('requires a key, a lower-case UUID and a generation of 32 bits', () => {
    expect(() => createRefreshTokens([])).toThrow(TypeError);
    const upperCase = sessionId.toUpperCase() as SessionId;
    expect(() => tokens.derive({ sessionId: upperCase, generation: 0, salt })).toThrow(TypeError);
    expect(() => tokens.derive({ sessionId, generation: 2 ** 32, salt })).toThrow(RangeError);
    expect(() => tokens.derive({ sessionId, generation: -1, salt })).toThrow(RangeError);
  });
});

it('hashes a refresh token with SHA-256 in base64url, after the id of the session', () => {
  const hash = '6ba7b810-9dad-11d1-80b4-00c04fd430c8.nwprTR3SIoJ6MwiXm3IcMQcEkfAp5_FMiRLP5kryTFg';
  expect(hashRefreshToken(sessionId, vector)).toBe(hash);
});

describe('parsing a refresh token', () => {
  it.each([
    ['nothing', ''],
    ['padding', `${vector}==`],
    ['white space', ` ${vector}`],
    ['a line break', `${vector}\n`],
    ['a byte less', Buffer.alloc(51).toString('base64url')],
    ['a byte more', Buffer.alloc(53).toString('base64url')],
    ['stray bits at the end', vector.replace(/A$/, 'B')],
    ['the other alphabet', `${vector.slice(0, 10)}+${vector.slice(11)}`],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'],
    ['a megabyte', 'A'.repeat(1 << 20)],
  ])('refuses %s', (_, token) => {
    expect(tokens.parse(token)).toBeNull();
  });

  it('never throws, and accepts only one encoding of a token', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        expect(tokens.parse(text)).toBeNull();
      }),
    );
  });
});

function parse(token: string): ParsedRefreshToken {
  const parsed = tokens.parse(token);
  if (parsed === null) throw new TypeError('expected a refresh token');
  return parsed;
}
