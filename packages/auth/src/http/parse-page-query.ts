import { CodedError } from '@x/errors';
import type { Context } from 'hono';
import type { PageQuery } from '../request/page-query.ts';

const known: ReadonlySet<string> = new Set(['limit', 'after']);

/**
 * Parses `?limit&after`.
 *
 * @throws CodedError `INVALID_QUERY` if there is any other parameter, a repeated one, or a limit that is not a whole
 * number
 */
export function parsePageQuery(c: Context): PageQuery {
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (!known.has(name) || values.length > 1) throw new CodedError('INVALID_QUERY', 'Unknown or repeated parameter.');
  }
  const limit = c.req.query('limit');
  if (limit !== undefined && !/^\d{1,9}$/.test(limit)) {
    throw new CodedError('INVALID_QUERY', 'The limit must be a whole number from 1 to 100.');
  }
  return { ...(limit !== undefined && { limit: Number(limit) }), after: c.req.query('after') ?? null };
}
