import { CodedError } from '@x/errors';
import type { JsonObject, JsonValue } from '@x/store';
import type { AccessTokenClaims } from '../token/claims.ts';
import type { Awaitable } from '../access-token/awaitable.ts';
import type { AuthContext } from '../auth-context.ts';
import { cookieNames, readCookie, sendsCookie } from './cookies.ts';
import { bearerToken } from '../request/bearer-token.ts';
import type { User } from '../user/user.ts';

/** The session that a request's valid JWT belongs to. */
export interface CurrentSession {
  readonly id: string;
  readonly user: User;
  /** When the JWT expires. */
  readonly expiresAt: Date;
  /** What the app's `claims(user)` returned. */
  readonly claims: JsonObject;
}

/**
 * Returns the session of a request, judged by its JWT alone: no store is read. Null without a valid JWT, or if this
 * process knows that the session was revoked.
 */
export async function getSession(
  auth: Pick<AuthContext, 'accessTokens' | 'revokedSessions'>,
  headers: Headers,
): Promise<CurrentSession | null> {
  const claims = await verifiedClaims(auth, headers);
  return claims && toCurrentSession(claims);
}

/** Returns the claims of a request's valid JWT, synchronously if they are cached; null if there is none. */
export function verifiedClaims(
  auth: Pick<AuthContext, 'accessTokens' | 'revokedSessions'>,
  headers: Headers,
): Awaitable<AccessTokenClaims | null> {
  const token = presentedAccessToken(headers);
  if (token === null) return null;
  const unlessRevoked = (claims: AccessTokenClaims | null): AccessTokenClaims | null =>
    claims === null || auth.revokedSessions.has(claims.sid, claims.ver) ? null : claims;
  const claims = auth.accessTokens.verify(token);
  return claims instanceof Promise ? claims.then(unlessRevoked) : unlessRevoked(claims);
}

/**
 * Returns the claims of a request's valid JWT.
 *
 * @throws CodedError `UNAUTHENTICATED` if there is none
 */
export async function requireClaims(
  auth: Pick<AuthContext, 'accessTokens' | 'revokedSessions'>,
  headers: Headers,
): Promise<AccessTokenClaims> {
  const claims = await verifiedClaims(auth, headers);
  if (claims === null) throw unauthenticated();
  return claims;
}

/** Builds the error for a request without an active session. */
export function unauthenticated(): CodedError {
  return new CodedError('UNAUTHENTICATED', 'You are not signed in.');
}

/** Converts the claims of a valid JWT to its session. */
export function toCurrentSession(claims: AccessTokenClaims): CurrentSession {
  const { createdAt, updatedAt, ...fields } = claims.user;
  return {
    id: claims.sid,
    user: {
      ...fields,
      id: claims.sub,
      email: claims.email,
      emailVerified: claims.emailVerified,
      role: claims.role,
      tenantId: claims.tenantId,
      createdAt: toDate(createdAt),
      updatedAt: toDate(updatedAt),
    },
    expiresAt: new Date(claims.exp * 1000),
    claims: claims.custom,
  };
}

/** A bearer token counts only if there is no session cookie, not even an ambiguous one. */
function presentedAccessToken(headers: Headers): string | null {
  const token = readCookie(headers, cookieNames.accessToken);
  return token ?? (sendsCookie(headers, cookieNames.accessToken) ? null : bearerToken(headers));
}

function toDate(claim: JsonValue | undefined): Date {
  return new Date(typeof claim === 'string' ? claim : Number.NaN);
}
