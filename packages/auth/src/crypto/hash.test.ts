import fc from 'fast-check';
import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashSecret, hmacSha256, isSame, isSameText, sha256 } from './hash.ts';

it('hashes every text as OpenSSL does', () => {
  const agrees = fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
    const expected = createHash('sha256').update(text);
    expect(hashSecret(text)).toBe(expected.copy().digest('base64url'));
    expect(Buffer.from(sha256(text))).toEqual(expected.digest());
  });
  fc.assert(agrees, { numRuns: 50 });
});

it('authenticates every message as OpenSSL does', () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const agrees = fc.property(bytes, bytes, (key, message) => {
    expect(Buffer.from(hmacSha256(key, message))).toEqual(createHmac('sha256', key).update(message).digest());
  });
  fc.assert(agrees, { numRuns: 50 });
});

it('tells texts and bytes apart that differ in one place, or in length', () => {
  expect([isSameText('sécret', 'sécret'), isSameText('', '')]).toEqual([true, true]);
  expect([isSameText('sécret', 'secret'), isSameText('secret', 'secrets'), isSameText('', 'a')]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isSame(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
  expect(isSame(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
});
