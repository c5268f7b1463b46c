import { canonicalizeEmail } from '@x/auth';
import { z } from 'zod';

/** Parses an e-mail address in any spelling to its canonical form, as accounts have it. */
export const emailAddress: z.ZodType<string, string> = z
  .string()
  .transform((text, context): string => {
    const canonical = canonicalizeEmail(text);
    if (canonical !== null) return canonical;
    context.addIssue({ code: 'custom', message: 'must be an e-mail address' });
    return z.NEVER;
  })
  .meta({ format: 'email' });
