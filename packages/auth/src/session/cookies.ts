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
  /** The path of the auth routes, without a slash at its end. */
  readonly basePath: string;
  readonly session: {
    readonly cookie: {
      readonly secure: boolean;
      readonly sameSite: 'strict' | 'lax' | 'none';
      /** The `Path` of the refresh token: the auth routes, or a path above them. */
      readonly refreshPath: string;
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
  return [accessCookie(config, tokens.accessToken), toRefreshCookie(config, { value, maxAge })];
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
  return [toAccessCookie(config, over), toRefreshCookie(config, over)];
}

interface CookieContent {
  readonly value: string;
  /** In seconds. */
  readonly maxAge: number;
}

function toRefreshCookie(config: CookieConfig, content: CookieContent): string {
  const { refreshPath: path } = config.session.cookie;
  return stringifySetCookie({ name: cookieNames.refreshToken, path, ...attributesOf(config), ...content });
}

function toAccessCookie(config: CookieConfig, content: CookieContent): string {
  return stringifySetCookie({ name: cookieNames.accessToken, path: '/', ...attributesOf(config), ...content });
}

function attributesOf({ session: { cookie } }: CookieConfig): SerializeOptions {
  return { httpOnly: true, secure: cookie.secure, sameSite: cookie.sameSite };
}
