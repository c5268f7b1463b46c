import { describe, expect, it } from 'vitest';
import { createTotpSecret, encodeSecret, findStep, toKeyUri } from './totp.ts';

/** The secret of both RFCs' test vectors. */
const secret = Buffer.from('12345678901234567890');

describe('findStep', () => {
  it('finds the steps of RFC 4226 appendix D, whose counters are steps', () => {
    const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
    expect(codes.map((code, step) => findStep(secret, code, new Date(step * 30_000)))).toEqual(codes.map((_, n) => n));
  });

  // The last six of the eight digits of the RFC: a code of fewer digits is the same number modulo less.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('finds the step of RFC 6238 appendix B at second %d', (seconds, code) => {
    expect(findStep(secret, code, new Date(seconds * 1000))).toBe(Math.floor(seconds / 30));
  });

  it('accepts a code of the previous and of the next step, and of no other', () => {
    const code = '081804';
    const step = Math.floor(1_111_111_109 / 30);
    const startsAt = step * 30_000;
    for (const [moment, found] of [
      ...[[startsAt - 30_001, null] as const, [startsAt - 30_000, step] as const, [startsAt - 1, step] as const],
      ...[[startsAt, step] as const, [startsAt + 59_999, step] as const, [startsAt + 60_000, null] as const],
    ]) {
      expect(findStep(secret, code, new Date(moment)), `${moment - startsAt}`).toBe(found);
    }
  });

  it('accepts six ASCII digits and nothing that looks like them', () => {
    const now = new Date(59_000);
    const texts = [
      '２８７０８２',
      '٢٨٧٠٨٢',
      '287082 ',
      ' 287082',
      '+287082',
      '28708',
      '2870820',
      '287_082',
      '2.87082e5',
    ];
    for (const text of [...texts, '', '0x4616a', '287082\n', '28708²', 'NaN', '-87082']) {
      expect(findStep(secret, text, now), text).toBeNull();
    }
    expect(findStep(secret, '287082', now)).toBe(1);
  });

  it('finds no step before the first', () => {
    expect(findStep(secret, '755224', new Date(0))).toBe(0);
  });
});

describe('a TOTP secret', () => {
  it('has 160 bits and differs each time', () => {
    const secrets = Array.from({ length: 50 }, createTotpSecret);
    expect(secrets.map((each) => each.length)).toEqual(secrets.map(() => 20));
    expect(new Set(secrets.map(encodeSecret)).size).toBe(50);
  });

  it('is encoded in base32 without padding', () => {
    expect(encodeSecret(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  });

  it('is part of a URI that authenticator apps read', () => {
    const uri = new URL(toKeyUri({ secret, issuer: 'Ada & Co + Sons', account: 'ada+1@example.com' }));
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      'totp',
      '/Ada & Co + Sons:ada+1@example.com',
    ]);
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'Ada & Co + Sons',
      algorithm: 'SHA1',
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      period: '30',
      digits: '6',
    });
    expect(uri.href).not.toContain('+');
  });
});
