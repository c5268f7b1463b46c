import type { Context } from 'hono';
import { toQueryObject } from '../query/to-query-object.ts';

/**
 * Reads the query of a request's URL to its JSON form.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function readQuery(c: Context): Readonly<Record<string, unknown>> {
  const start = c.req.url.indexOf('?');
  return start < 0 ? none : toQueryObject(new URLSearchParams(c.req.url.slice(start)));
}

const none = Object.freeze({});
