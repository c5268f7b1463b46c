import { stringifySetCookie } from 'cookie';
import type { CookiePart } from '../request/route.ts';

/** The default prefix of the names of our cookies. Clients and proxies may know them. */
export const defaultCookiePrefix = 'app';

/** Returns the name of a cookie. */
export function cookieName({ session: { cookie } }: CookieConfig, part: CookiePart): string {
  return `${cookie.prefix}.${part}`;
}

/** Says whether browsers accept cookies with this prefix for the whole host alone: with the path `/`, and secure. */
export function isHostPrefix(prefix: string): boolean {
  return prefix.startsWith('__Host-');
}

/** The two tokens of a session, and how many seconds the browser keeps each. */
export interface SessionTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly refreshMaxAgeSeconds: number;
}

/** The settings of cookies. */
export interface CookieConfig {
  /** The path of the auth routes, without a slash at its end. */
  readonly basePath: string;
  readonly session: {
    readonly cookie: {
      readonly secure: boolean;
      readonly sameSite: 'strict' | 'lax' | 'none';
      /** The `Path` of the refresh token: the auth routes, or a path above them. */
      readonly refreshPath: string;
      /** The prefix of the names of all cookies, before a dot. */
      readonly prefix: string;
    };
  };
}

/** The settings of the cookies of a session. The `ttl` of a JWT is in milliseconds, a multiple of 1000. */
type SessionCookieConfig = CookieConfig & { readonly session: { readonly ttl: number } };

/**
 * Builds the `Set-Cookie` values that sign a browser in.
 *
 * @throws RangeError if browsers would drop a cookie for its size: the app's claims or public fields are too large
 * @see RFC 6265 section 6.1
 */
export function sessionCookies(config: SessionCookieConfig, tokens: SessionTokens): readonly string[] {
  const { refreshToken: value, refreshMaxAgeSeconds: maxAge } = tokens;
  return [accessCookie(config, tokens.accessToken), ...toRefreshCookies(config, { value, maxAge })];
}

/**
 * Builds the `Set-Cookie` value that gives a browser another JWT of its session.
 *
 * @throws RangeError as {@link sessionCookies}
 */
export function accessCookie(config: SessionCookieConfig, accessToken: string): string {
  const cookie = toAccessCookie(config, { value: accessToken, maxAge: config.session.ttl / 1000 });
  if (cookie.length <= maxCookieBytes) return cookie;
  throw new RangeError(
    `A session cookie exceeds ${maxCookieBytes} bytes: return fewer claims, or give large fields of users public: false.`,
  );
}

const maxCookieBytes = 4096;

/** Says whether browsers accept a cookie with this JWT. */
export function fitsCookie(config: SessionCookieConfig, accessToken: string): boolean {
  const cookie = toAccessCookie(config, { value: accessToken, maxAge: config.session.ttl / 1000 });
  return cookie.length <= maxCookieBytes;
}

/** Builds the `Set-Cookie` values that sign a browser out: the same cookies, empty and expired. */
export function clearedSessionCookies(config: CookieConfig): readonly string[] {
  const over = { value: '', maxAge: 0 };
  return [toAccessCookie(config, over), ...toRefreshCookies(config, over)];
}

interface CookieContent {
  readonly value: string;
  /** In seconds. */
  readonly maxAge: number;
}

function toRefreshCookies(config: CookieConfig, content: CookieContent): readonly string[] {
  const { refreshPath: path, sameSite } = config.session.cookie;
  return toScopedCookies(config, { part: 'ref', path, sameSite, ...content });
}

/** Its `Path` has always been `/`. */
function toAccessCookie(config: CookieConfig, content: CookieContent): string {
  const { secure, sameSite } = config.session.cookie;
  return stringifySetCookie({
    name: cookieName(config, 'sid'),
    path: '/',
    httpOnly: true,
    secure,
    sameSite,
    ...content,
  });
}

/** A cookie whose `Path` follows from the settings. */
interface ScopedCookie extends CookieContent {
  readonly part: CookiePart;
  /** Ignored if the prefix calls for `/`. */
  readonly path: string;
  readonly sameSite: 'strict' | 'lax' | 'none';
}

/**
 * Builds the `Set-Cookie` values of a cookie: its own, after those that expire it on every other path that the settings
 * may have named before. A browser keeps a cookie for each path, and sends the auth routes all of them: two values,
 * which count as none. Its own comes last, for clients that keep cookies by their name alone.
 *
 * @see RFC 6265 section 5.3
 */
export function toScopedCookies(config: CookieConfig, { part, path, ...content }: ScopedCookie): readonly string[] {
  const { secure, prefix } = config.session.cookie;
  const cookie = { ...content, name: cookieName(config, part), httpOnly: true, secure };
  if (isHostPrefix(prefix)) return [stringifySetCookie({ ...cookie, path: '/' })];
  const elsewhere = pathsAbove(config.basePath).filter((other) => other !== path);
  return [
    ...elsewhere.map((other) => stringifySetCookie({ ...cookie, path: other, value: '', maxAge: 0 })),
    stringifySetCookie({ ...cookie, path }),
  ];
}

/** Lists the paths from `/` to the auth routes. */
function pathsAbove(basePath: string): readonly string[] {
  const segments = basePath.split('/').slice(1);
  return ['/', ...segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)];
}
