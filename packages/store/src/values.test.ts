import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareCodePoints } from './values.ts';

it('orders texts as the bytes of their UTF-8 encoding', () => {
  const unit = fc.oneof(fc.constantFrom('', 'a', 'A', '\uD7FF', '\uE000', '\uFFFF', '\u{10000}', '\u{10FFFF}'), text());
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 4 }), fc.array(unit, { maxLength: 4 }), (a, b) => {
      const [first, second] = [a.join(''), b.join('')];
      expect(Math.sign(compareCodePoints(first, second))).toBe(Buffer.compare(Buffer.from(first), Buffer.from(second)));
    }),
  );
});

function text(): fc.Arbitrary<string> {
  return fc.string({ unit: 'binary', maxLength: 3 });
}
