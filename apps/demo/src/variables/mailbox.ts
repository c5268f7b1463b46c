import { z } from 'zod';
import { isPlainAddress } from '../mail/plain-address.ts';

/** An address, and whose it is. */
export interface Mailbox {
  /** Empty where there is none. */
  readonly name: string;
  readonly address: string;
}

/** Parses `Name <address>`, or an address alone. */
export const mailbox: z.ZodType<Mailbox, string> = z.string().transform((text, context): Mailbox => {
  const [, name = '', inBrackets] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  if (isPlainAddress(address)) return { name: name.trim(), address };
  context.addIssue({ code: 'custom', message: 'must be an address, or a name and an address: Name <user@host>' });
  return z.NEVER;
});
