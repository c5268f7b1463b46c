/** How long a path may be in the cookies that carry it, of which a browser may have several. */
const maxLength = 1024;

/** Any origin will do: a path that resolves to another origin points outside the app. */
const anyOrigin = 'http://own.invalid';

/**
 * Returns where to go after a flow, as a normalized path of our own origin; null if anything else is requested, or
 * nothing: then the configured target is used.
 */
export function parseRedirectTo(text: string | undefined): string | null {
  if (text === undefined || !isOwnPath(text) || !URL.canParse(text, anyOrigin)) return null;
  const url = new URL(text, anyOrigin);
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Resolving dots can leave two adjacent slashes, which would start a host name.
  return url.origin === anyOrigin && fitsCookie(path) && isOwnPath(path) ? path : null;
}

/** The cookies hold it in JSON, where a backslash takes two characters. */
function fitsCookie(path: string): boolean {
  return JSON.stringify(path).length <= maxLength + '""'.length;
}

/** Says whether a text is a path that no browser interprets as another origin. */
export function isOwnPath(text: string): boolean {
  return text.startsWith('/') && !text.includes('//') && !text.includes('/\\') && !/\p{Cc}/u.test(text);
}

/** Adds query parameters to a configured target, which may already have some. */
export function withQuery(target: string, parameters: Readonly<Record<string, string>>): string {
  const [, beforeHash = '', hash = ''] = /^([^#]*)(.*)$/s.exec(target) ?? [];
  const query = new URLSearchParams(parameters).toString();
  return `${beforeHash}${beforeHash.includes('?') ? '&' : '?'}${query}${hash}`;
}
