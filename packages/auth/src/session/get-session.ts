import { CodedError } from '@x/errors';
import type { JsonObject, JsonValue } from '@x/store';
import type { AccessTokenClaims } from '../access-token/access-token-claims.ts';
import type { Awaitable } from '../access-token/verify-access-token.ts';
import type { AuthContext } from '../auth-context.ts';
import { cookieNames, readCookie, sendsCookie } from '../cookies/auth-cookies.ts';
import { bearerToken } from '../request/bearer-token.ts';
import type { User } from '../user/user.ts';

/** The session that a request presents a good JWT of. */
export interface CurrentSession {
  readonly id: string;
  readonly user: User;
  /** When the JWT is over. */
  readonly expiresAt: Date;
  /** What the app's `claims(user)` returned. */
  readonly claims: JsonObject;
}

/**
 * Returns the session of a request, judged by its JWT alone: no store is read. Null for anything but a good
 * JWT of a session that this process has not seen revoked.
 */
export async function getSession(
  auth: Pick<AuthContext, 'accessTokens' | 'revokedSessions'>,
  headers: Headers,
): Promise<CurrentSession | null> {
  const claims = await verifiedClaims(auth, headers);
  return claims && toCurrentSession(claims);
}

/** Returns the claims of the good JWT that a request presents, at once where it is remembered; null for none. */
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
 * Returns the claims of the good JWT that a request presents.
 *
 * @throws CodedError `UNAUTHENTICATED` where it presents none
 */
export async function requireClaims(
  auth: Pick<AuthContext, 'accessTokens' | 'revokedSessions'>,
  headers: Headers,
): Promise<AccessTokenClaims> {
  const claims = await verifiedClaims(auth, headers);
  if (claims === null) throw unauthenticated();
  return claims;
}

/** Builds the error of a request that no active session stands behind. */
export function unauthenticated(): CodedError {
  return new CodedError('UNAUTHENTICATED', 'You are not signed in.');
}

/** Converts the claims of a good JWT to the session that they speak of. */
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

/** A bearer token counts only where no cookie speaks, not even an ambiguous one. */
function presentedAccessToken(headers: Headers): string | null {
  const token = readCookie(headers, cookieNames.accessToken);
  return token ?? (sendsCookie(headers, cookieNames.accessToken) ? null : bearerToken(headers));
}

function toDate(claim: JsonValue | undefined): Date {
  return new Date(typeof claim === 'string' ? claim : Number.NaN);
}
