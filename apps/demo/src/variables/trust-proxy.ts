import { createClientAddress, type TrustProxy } from '@x/http';
import { z } from 'zod';

/** Parses a number of proxies, or a comma list of their addresses and CIDR ranges. */
export const trustProxy: z.ZodType<TrustProxy, string> = z
  .string()
  .transform((text): TrustProxy => (/^\d+$/.test(text) ? Number(text) : text.split(',').map((range) => range.trim())))
  .refine(isUsable, 'must be a number of proxies from 0 to 32, or a comma list of addresses and CIDR ranges');

/** Asks what is going to use it. */
function isUsable(value: TrustProxy): boolean {
  try {
    createClientAddress(value);
    return true;
  } catch {
    return false;
  }
}
