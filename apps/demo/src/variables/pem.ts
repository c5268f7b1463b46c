import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Parses a PEM, or `file:` and the path of one. Whether it is a key is for the library to judge. */
export const pem: z.ZodType<string, string> = z.string().transform((value, context) => {
  if (!value.startsWith('file:')) return value;
  try {
    return readFileSync(value.slice('file:'.length), 'utf8');
  } catch {
    context.addIssue({ code: 'custom', message: 'names a file that cannot be read' });
    return z.NEVER;
  }
});

/** Parses PEMs one after another, or `file:` and the path of them. */
export const pemList: z.ZodType<readonly string[], string> = pem
  .transform((text) => text.split(/(?=-----BEGIN )/).filter((block) => block.trim() !== ''))
  .refine((blocks) => blocks.length > 0, 'holds no PEM');
