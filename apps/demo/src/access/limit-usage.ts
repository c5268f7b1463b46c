import type { LimitUsage } from '@x/access';
import { z } from 'zod';

/** How much of a limit is used up, on the wire. */
export const limitUsage: z.ZodType<LimitUsage, LimitUsage> = z.strictObject({
  key: z.string(),
  max: z.int(),
  consumed: z.int(),
  remaining: z.int(),
  resetsAt: z.string().nullable(),
});
