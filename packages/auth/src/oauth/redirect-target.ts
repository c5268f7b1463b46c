/** Longer ones would not fit into the cookie that carries them. */
const maxLength = 1024;

/** Any origin does: what has resolved to another one has left it. */
const anyOrigin = 'http://own.invalid';

/**
 * Returns where to go after a flow, as a path of our own origin in normal form; null where it is asked for something else,
 * or for nothing: then the configured target counts.
 */
export function parseRedirectTo(text: string | undefined): string | null {
  if (text === undefined || !isOwnPath(text) || !URL.canParse(text, anyOrigin)) return null;
  const url = new URL(text, anyOrigin);
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Dots that are resolved can leave two slashes side by side, which name a host.
  return url.origin === anyOrigin && path.length <= maxLength && isOwnPath(path) ? path : null;
}

/** Says whether a text is a path that no browser takes for another origin. */
export function isOwnPath(text: string): boolean {
  return text.startsWith('/') && !text.includes('//') && !text.includes('/\\') && !/\p{Cc}/u.test(text);
}

/** Adds query parameters to a configured target, which may have some of its own. */
export function withQuery(target: string, parameters: Readonly<Record<string, string>>): string {
  const [, beforeHash = '', hash = ''] = /^([^#]*)(.*)$/s.exec(target) ?? [];
  const query = new URLSearchParams(parameters).toString();
  return `${beforeHash}${beforeHash.includes('?') ? '&' : '?'}${query}${hash}`;
}
