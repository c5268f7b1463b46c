import { z } from 'zod';
import { duration, type DurationText } from './duration.ts';

/** How many attempts a window admits. */
export interface RateLimit {
  readonly maxAttempts: number;
  readonly window: DurationText;
}

/** Parses attempts per window, such as `5/15m`. */
export const rateLimit: z.ZodType<RateLimit, string> = z.string().transform((text, context): RateLimit => {
  const [, max, rest] = /^(\d{1,7})\/(.+)$/.exec(text) ?? [];
  const window = duration.safeParse(rest);
  const maxAttempts = Number(max);
  if (window.success && maxAttempts >= 1 && maxAttempts <= 1_000_000) return { maxAttempts, window: window.data };
  context.addIssue({ code: 'custom', message: 'must be 1 to 1000000 attempts and their window, such as 5/15m' });
  return z.NEVER;
});
