import type { Context } from 'hono';

/** The nearest hop is trusted, so the last address counts. */
export function clientAddress(c: Context): string {
  return c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
}
