import { z } from 'zod';
import { toAddressKey } from '../mail/address-key.ts';

/** Parses an e-mail address in any case, as accounts have it. */
export const emailAddress: z.ZodType<string, string> = z.string().transform((text, context): string => {
  const key = toAddressKey(text);
  if (key !== null && key.includes('.', key.indexOf('@'))) return key;
  context.addIssue({ code: 'custom', message: 'must be an e-mail address' });
  return z.NEVER;
});
