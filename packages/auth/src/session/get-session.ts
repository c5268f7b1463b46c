import type { JsonObject, JsonValue } from '@x/store';
import type { AccessTokenClaims } from '../access-token/access-token-claims.ts';
import type { AuthContext } from '../auth-context.ts';
import { cookieNames, readCookie } from '../cookies/auth-cookies.ts';
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

/** Returns the claims of the good JWT that a request presents; null where it presents none. */
export async function verifiedClaims(
  auth: Pick<AuthContext, 'accessTokens' | 'revokedSessions'>,
  headers: Headers,
): Promise<AccessTokenClaims | null> {
  const token = readCookie(headers, cookieNames.accessToken);
  if (token === null) return null;
  const claims = await auth.accessTokens.verify(token);
  return claims === null || auth.revokedSessions.has(claims.sid, claims.ver) ? null : claims;
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

function toDate(claim: JsonValue | undefined): Date {
  return new Date(typeof claim === 'string' ? claim : Number.NaN);
}
