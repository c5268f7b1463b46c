import { z } from 'zod';

/** Which database is meant. */
export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Parses `memory:`, `file:<path>`, or `postgres://…`. */
export const databaseUrl: z.ZodType<DatabaseUrl, string> = z.string().transform((url, context): DatabaseUrl => {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('file:') && url.length > 'file:'.length) return { kind: 'file', path: url.slice('file:'.length) };
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { kind: 'postgres', url };
  context.addIssue({
    code: 'custom',
    message: 'must be memory:, file:<path> or postgres://<user>:<password>@<host>/<database>',
  });
  return z.NEVER;
});
