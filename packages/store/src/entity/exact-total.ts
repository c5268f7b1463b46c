import { fromUnits } from '../decimal.ts';

/**
 * The exact sum of numbers, of each as it is written in decimal: that of 0.1 and 0.2 is 0.3, in whatever order they are
 * added. It holds one sum for each power of ten of a last digit.
 */
export type ExactTotal = Map<number, bigint>;

const numberPattern = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/** Adds a number, or a decimal as text, to a total. */
export function addExactly(total: ExactTotal, value: number | string): ExactTotal {
  const [, whole = '0', fraction = '', exponent = '0'] = numberPattern.exec(String(value)) ?? [];
  const place = Number(exponent) - fraction.length;
  return total.set(place, (total.get(place) ?? 0n) + BigInt(whole + fraction));
}

/** Writes a total without an exponent. */
export function totalToText(total: ExactTotal): string {
  const scale = Math.max(0, ...[...total.keys()].map((place) => -place));
  const units = [...total].reduce((sum, [place, part]) => sum + part * 10n ** BigInt(place + scale), 0n);
  return fromUnits(units, scale);
}
