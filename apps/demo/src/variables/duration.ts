import type { Duration } from '@x/auth';
import { z } from 'zod';

/** A duration as text, which cannot lack its unit. */
export type DurationText = Extract<Duration, string>;

/** Checks the spelling of a duration such as `60s`. How long it may be is for the setting to say. */
export const duration: z.ZodType<DurationText> = z.custom<DurationText>(
  (value) => typeof value === 'string' && /^\d+(ms|s|m|h|d)$/.test(value),
  'must be a duration such as 60s, 15m, 24h or 7d',
);
