import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareDecimals, type DecimalSize, fromUnits, toDecimal } from './decimal.ts';

const money: DecimalSize = { precision: 6, scale: 2 };

it('writes a decimal with all digits after the point', () => {
  const given = ['12.5', '12', '-12.50', '007.1', '0', '-0', '-0.00', '9999.99', '-9999.990000', '1.000'];
  expect(given.map((text) => toDecimal(text, money))).toEqual([
    '12.50',
    '12.00',
    '-12.50',
    '7.10',
    '0.00',
    '0.00',
    '0.00',
    '9999.99',
    '-9999.99',
    '1.00',
  ]);
  expect(toDecimal('42.0', { precision: 2, scale: 0 })).toBe('42');
  expect(toDecimal('0.42', { precision: 2, scale: 2 })).toBe('0.42');
});

it('takes nothing that would have to be rounded or is no plain decimal', () => {
  const given = [
    '1.005',
    '10000',
    '-10000',
    '',
    '.5',
    '5.',
    '+1',
    '1e2',
    ' 1',
    '1,5',
    '--1',
    'NaN',
    '0x1',
    '1'.repeat(40),
  ];
  for (const text of given) expect(toDecimal(text, money), text).toBeUndefined();
  expect(toDecimal('1', { precision: 2, scale: 2 })).toBeUndefined();
});

it('orders decimals as their units are ordered, and writes those', () => {
  const size = fc.integer({ min: 0, max: 15 });
  const units = fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 }));
  fc.assert(
    fc.property(size, units, units, (scale, a, b) => {
      const [first, second] = [fromUnits(a, scale), fromUnits(b, scale)];
      expect(Math.sign(compareDecimals(first, second))).toBe(Math.sign(a - b));
      expect(toDecimal(first, { precision: 15, scale })).toBe(first);
      expect(Number(first.replace('.', ''))).toBe(a);
    }),
  );
});
