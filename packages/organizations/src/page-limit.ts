import { z } from 'zod';

/** The size of a page in a URL: a whole number from 1 to 100, in decimal digits and nothing else. */
export const pageLimit: z.ZodType<number, number> = z
  .custom<number>((value) => typeof value === 'number' || /^\d{1,3}$/.test(String(value)), 'Expected a whole number')
  .meta({ type: 'integer', minimum: 1, maximum: 100 })
  .transform(Number)
  .pipe(z.int().min(1).max(100));
