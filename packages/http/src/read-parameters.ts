import { CodedError, isPrototypeKey } from '@x/errors';
import type { Context } from 'hono';

/**
 * Reads the parameters of a request's URL: each name with its values, in the order in which they were sent.
 *
 * A map, because an object would lose a parameter that is called `__proto__`.
 */
export function readParameters(c: Context): ReadonlyMap<string, readonly string[]> {
  const start = c.req.url.indexOf('?');
  if (start < 0) return noParameters;
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(c.req.url.slice(start))) {
    const values = parameters.get(name);
    if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  return parameters;
}

const noParameters: ReadonlyMap<string, readonly string[]> = new Map();

/**
 * Makes sure that a request's URL has no parameters that its route would ignore.
 *
 * @param known - the names that the route reads; `any` if the others mean nothing to it, so that only names that could
 *   reach a prototype are refused. Default: none
 * @throws CodedError `INVALID_QUERY`
 */
export function requireKnownParameters(c: Context, known: ReadonlySet<string> | 'any' = noNames): void {
  if (!c.req.url.includes('?')) return;
  for (const name of readParameters(c).keys()) {
    if (known === 'any' ? !isPrototypeKey(name) : known.has(name)) continue;
    throw new CodedError('INVALID_QUERY', 'The query is not valid.', {
      issues: [{ path: [name.slice(0, maxEcho)], code: 'invalid_query', message: 'Unknown parameter.' }],
    });
  }
}

const noNames: ReadonlySet<string> = new Set();

/** How much of a name from a caller is echoed back. */
const maxEcho = 64;
