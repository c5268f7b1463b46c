import { z } from 'zod';

/** A length of time: a number of milliseconds, or a whole number with a unit, such as `60s`, `15m`, `24h` or `7d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** Parses a {@link Duration}, from one millisecond to ten years, to milliseconds. */
export const duration: z.ZodType<number, Duration> = z.union([z.number(), z.string()]).transform((value, context) => {
  const milliseconds = parseDuration(value as Duration);
  if (milliseconds !== null) return milliseconds;
  context.addIssue({ code: 'custom', message: 'must be a duration such as 60s, 15m, 24h or 7d, of at most ten years' });
  return z.NEVER;
}) as z.ZodType<number, Duration>;

/** Converts a duration, from one millisecond to ten years, to milliseconds; null if it is none. */
export function parseDuration(value: Duration): number | null {
  const milliseconds = typeof value === 'number' ? value : toMilliseconds(String(value));
  const isWithin = Number.isSafeInteger(milliseconds) && milliseconds > 0 && milliseconds <= tenYearsMs;
  return isWithin ? milliseconds : null;
}

/** Keeps a moment this far ahead within the range of `Date`. */
const tenYearsMs = 3650 * 86_400_000;

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function toMilliseconds(text: string): number {
  const [, amount, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
  return Number(amount) * (millisecondsPerUnit[unit ?? ''] ?? Number.NaN);
}
