import { z } from 'zod';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import { maxPasswordBytes } from '../password/policy.ts';
import { parseInput } from '../request/parse-input.ts';

/** An e-mail address, parsed to its canonical form. */
export const email: z.ZodType<string> = z
  .string()
  .transform((text, context) => {
    const canonical = canonicalizeEmail(text);
    if (canonical !== null) return canonical;
    context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message: 'Invalid email address' });
    return z.NEVER;
  })
  .meta({ format: 'email', examples: ['ada@example.com'] });

/**
 * A password as sent: any text that could be the password of an account. The policy is checked only when one is set.
 */
export const password: z.ZodType<string> = z
  .string()
  .refine((text) => text.isWellFormed(), { params: { code: 'invalid_format' }, message: 'Invalid text' })
  .refine((text) => Buffer.byteLength(text) <= maxPasswordBytes, {
    params: { code: 'too_big' },
    message: 'Too long',
  })
  .meta({ format: 'password', examples: ['correct horse battery'] });

/** The credentials of a sign-in. */
export interface Credentials {
  /** Any spelling of the address; the canonical form counts. */
  readonly email: string;
  readonly password: string;
}

/**
 * Parses credentials, and converts the e-mail address to its canonical form.
 *
 * @throws CodedError `VALIDATION_FAILED`
 */
export function parseCredentials(input: unknown): Promise<Credentials> {
  return parseInput(credentialsInput, input);
}

/** The input of a sign-in. */
export const credentialsInput: z.ZodType<Credentials> = z.strictObject({ email, password });
