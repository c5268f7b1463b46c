/** How large the decimals of a column may be. */
export interface DecimalSize {
  /** How many digits they have at most, 1 to 15: a JavaScript number counts that many without rounding. */
  readonly precision: number;
  /** How many of these digits follow the point, 0 to `precision`. */
  readonly scale: number;
}

const decimalPattern = /^(-?)0*(\d{1,15})(?:\.(\d{1,15}?)0*)?$/;

/**
 * Writes a decimal with exactly as many digits after the point as its column has: `12.5` becomes `12.50`, and `-0`
 * becomes `0.00`.
 *
 * @returns undefined if it is no decimal, or only rounding would make it one of this size
 */
export function toDecimal(text: string, { precision, scale }: DecimalSize): string | undefined {
  const [, sign, whole = '', given = ''] = decimalPattern.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const fraction = given === '0' ? '' : given;
  if (fraction.length > scale || (whole === '0' ? 0 : whole.length) > precision - scale) return undefined;
  const digits = scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`;
  return /[1-9]/.test(digits) ? `${sign}${digits}` : digits;
}

/** Writes a decimal that is given in units of its last digit: 1250 of scale 2 is `12.50`. */
export function fromUnits(units: number | bigint, scale: number): string {
  const text = String(units);
  const sign = text.startsWith('-') ? '-' : '';
  const digits = text.slice(sign.length).padStart(scale + 1, '0');
  return scale === 0 ? text : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Orders two decimals by size. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  // No decimal has more than 15 digits after the point.
  const [units, others] = [toUnits(a, 15), toUnits(b, 15)];
  return units === others ? 0 : units < others ? -1 : 1;
}

/** Converts a decimal with at most `scale` digits after the point to units, as {@link fromUnits} takes them. */
export function toUnits(decimal: string, scale: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}
