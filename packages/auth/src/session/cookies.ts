import { type SerializeOptions, stringifySetCookie } from 'cookie';

/** The names of our cookies. Clients and proxies may know them, so they never change. */
export const cookieNames = {
  accessToken: 'app.sid',
  refreshToken: 'app.ref',
  mfaChallenge: 'app.mfa',
  /** The start of the name: each flow adds a part of its state. */
  oauthFlowPrefix: 'app.oauth.',
} as const;

/** The two tokens of a session, and how many seconds the browser keeps each. */
export interface SessionTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly refreshMaxAgeSeconds: number;
}

/** The settings of cookies. */
export interface CookieConfig {
  readonly session: {
    readonly cookie: { readonly secure: boolean; readonly sameSite: 'strict' | 'lax' | 'none' };
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
export function fitsCookie(config: SessionCookieConfig, accessToken: string): boolean {
  const cookie = toAccessCookie(config, { value: accessToken, maxAge: config.session.ttl / 1000 });
  return cookie.length <= maxCookieBytes;
}

/** Builds the `Set-Cookie` values that sign a browser out: the same cookies, empty and expired. */
export function clearedSessionCookies(config: CookieConfig): readonly string[] {
  const over = { value: '', maxAge: 0 };
  return toSetCookies(config, { accessToken: over, refreshToken: over });
}

interface CookieContent {
  readonly value: string;
  /** In seconds. */
  readonly maxAge: number;
}

type CookieContents = Record<'accessToken' | 'refreshToken', CookieContent>;

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
