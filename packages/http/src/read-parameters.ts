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
 * Makes sure that the bytes that the query of a URL escapes are UTF-8: a parser would put U+FFFD in place of others, and
 * a filter would mean something else. A percent sign that escapes nothing stands for itself, as it does in browsers.
 *
 * @throws CodedError `INVALID_QUERY`
 * @see URL Standard, sections 1.3 and 5.1
 */
export function requireUtf8Parameters(c: Context): void {
  const start = c.req.url.indexOf('?');
  if (start < 0) return;
  const escaped = c.req.url.slice(start).match(/(?:%[\da-f]{2})+/gi) ?? [];
  try {
    decodeURIComponent(escaped.join('.'));
  } catch {
    throw new CodedError('INVALID_QUERY', 'The query is not valid.', {
      issues: [{ path: [], code: 'invalid_query', message: 'The query is not valid UTF-8.' }],
    });
  }
}

/**
 * Makes sure that the URL of a request to a route without a query has none that would be ignored.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function requireNoParameters(c: Context): void {
  refuseParameters(c, () => true);
}

/**
 * Makes sure that no parameter of a URL could reach a prototype, for routes to which unknown ones mean nothing.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function requirePlainParameters(c: Context): void {
  refuseParameters(c, isPrototypeKey);
}

function refuseParameters(c: Context, isRefused: (name: string) => boolean): void {
  if (!c.req.url.includes('?')) return;
  const refused = [...readParameters(c).keys()].find(isRefused);
  if (refused === undefined) return;
  throw new CodedError('INVALID_QUERY', 'The query is not valid.', {
    issues: [{ path: [refused.slice(0, maxEcho)], code: 'invalid_query', message: 'Unknown parameter.' }],
  });
}

/** How much of a name from a caller is echoed back. */
const maxEcho = 64;
