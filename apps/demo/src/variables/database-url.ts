import { z } from 'zod';

/** Which database is meant. */
export type DatabaseUrl = { readonly kind: 'memory' } | { readonly kind: 'file'; readonly path: string };

/** Parses `memory:` or `file:<path>`. */
export const databaseUrl: z.ZodType<DatabaseUrl, string> = z.string().transform((url, context): DatabaseUrl => {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('file:') && url.length > 'file:'.length) return { kind: 'file', path: url.slice('file:'.length) };
  context.addIssue({ code: 'custom', message: 'must be memory: or file:<path>' });
  return z.NEVER;
});
