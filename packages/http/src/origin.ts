/**
 * Parses an `Origin` header, or a configured origin, to its normalized form (RFC 6454 section 6.2): lower-case scheme
 * and host, no default port. Null for anything else, including the `null` origin.
 */
export function parseOrigin(text: string): string | null {
  return originSyntax.test(text) ? originOf(text) : null;
}

/** Returns the origin of an absolute URL, such as a `Referer`; null for anything else. */
export function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin } = new URL(url);
  return origin === 'null' ? null : origin;
}

// As browsers send it: an ASCII host, and nothing that a URL parser would decode, map, trim or drop.
const originSyntax = /^https?:\/\/([\w.-]+|\[[\da-f:.]+\])(:[1-9]\d{0,4})?$/i;
