import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64url } from './base64url.ts';

describe('fromBase64url', () => {
  it('decodes its own output', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromBase64url(Buffer.from(bytes).toString('base64url'))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each(['AA==', 'AA=', 'AB', 'AAB', 'A', 'AAAA ', ' AAAA', 'AA\nAA', 'AA.A', '+/+/', 'AAAÀ', 'AAAA\0'])(
    'refuses %j',
    (text) => {
      expect(fromBase64url(text)).toBeNull();
    },
  );

  it('accepts only one encoding of a byte string', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('A', 'Q', 'g', 'w', '-', '_', '+', '/', '=', ' ', '\n') }),
        (text) => {
          const bytes = fromBase64url(text);
          expect(bytes === null || bytes.toString('base64url') === text).toBe(true);
        },
      ),
    );
  });
});
