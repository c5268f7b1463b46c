import { type SerializeOptions, stringifySetCookie } from 'cookie';
import type { AuthConfig } from '../config/auth-config.ts';

/** The names of the cookies that carry a session, fixed by the specification. */
export const cookieNames = { accessToken: 'app.sid', refreshToken: 'app.ref' } as const;

/** The two tokens of a session, and how many seconds the browser keeps each. */
export interface SessionTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly refreshMaxAgeSeconds: number;
}

type CookieConfig = Pick<AuthConfig, 'session'>;

/**
 * Builds the `Set-Cookie` values that sign a browser in.
 *
 * @throws RangeError if browsers would drop a cookie for its size: the app's claims or public fields are too large
 * @see RFC 6265 section 6.1
 */
export function sessionCookies(config: CookieConfig, tokens: SessionTokens): readonly string[] {
  const cookies = toSetCookies(config, {
    accessToken: { value: tokens.accessToken, maxAge: config.session.ttl / 1000 },
    refreshToken: { value: tokens.refreshToken, maxAge: tokens.refreshMaxAgeSeconds },
  });
  if (cookies.some((cookie) => cookie.length > maxCookieBytes)) {
    throw new RangeError(
      `A session cookie exceeds ${maxCookieBytes} bytes; the user's claims or fields are too large.`,
    );
  }
  return cookies;
}

const maxCookieBytes = 4096;

/** Says whether browsers accept a cookie with this JWT. */
export function fitsCookie(config: CookieConfig, accessToken: string): boolean {
  const cookie = toAccessCookie(config, { value: accessToken, maxAge: config.session.ttl / 1000 });
  return cookie.length <= maxCookieBytes;
}

/** Builds the `Set-Cookie` values that sign a browser out: the same cookies, empty and expired. */
export function clearedSessionCookies(config: CookieConfig): readonly string[] {
  const over = { value: '', maxAge: 0 };
  return toSetCookies(config, { accessToken: over, refreshToken: over });
}

/**
 * Reads one cookie of a request. Null if it is absent, or if the request has two different values of it: a sibling
 * subdomain may have planted one, and nothing tells which.
 */
export function readCookie(headers: Headers, name: string): string | null {
  const header = headers.get('cookie');
  if (header === null) return null;
  let found: string | null = null;
  for (const pair of header.split(';')) {
    const separator = pair.indexOf('=');
    if (separator === -1 || trimBlanks(pair.slice(0, separator)) !== name) continue;
    const value = trimBlanks(pair.slice(separator + 1));
    if (found !== null && found !== value) return null;
    found = value;
  }
  return found === '' ? null : found;
}

/** Says whether a request has a cookie of this name, whatever its value. */
export function sendsCookie(headers: Headers, name: string): boolean {
  return cookieNamesOf(headers).includes(name);
}

/** Returns the names of all cookies of a request, without duplicates. */
export function cookieNamesOf(headers: Headers): readonly string[] {
  const pairs = headers.get('cookie')?.split(';') ?? [];
  return [...new Set(pairs.map((pair) => trimBlanks(pair.split('=', 1)[0] ?? '')))];
}

interface CookieContent {
  readonly value: string;
  /** In seconds. */
  readonly maxAge: number;
}

type CookieContents = Record<keyof typeof cookieNames, CookieContent>;

function toSetCookies(config: CookieConfig, { accessToken, refreshToken }: CookieContents): string[] {
  const name = cookieNames.refreshToken;
  return [
    toAccessCookie(config, accessToken),
    stringifySetCookie({ name, path: '/api/auth', ...attributesOf(config), ...refreshToken }),
  ];
}

function toAccessCookie(config: CookieConfig, content: CookieContent): string {
  return stringifySetCookie({ name: cookieNames.accessToken, path: '/', ...attributesOf(config), ...content });
}

function attributesOf({ session: { cookie } }: CookieConfig): SerializeOptions {
  return { httpOnly: true, secure: cookie.secure, sameSite: cookie.sameSite };
}

/**
 * Trims spaces and tabs only. `trim` would also remove U+00A0 and the like, and so mistake a cookie of another name,
 * which a sibling subdomain may have set, for ours.
 *
 * @see RFC 6265 section 5.2
 */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
