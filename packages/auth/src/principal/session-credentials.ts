import type { Awaitable } from '@x/errors';
import type { JsonValue } from '@x/store';
import { bearerToken, readCookie } from '../request/headers.ts';
import type { AccessTokenClaims } from '../token/claims.ts';
import type { SessionCredential } from './authenticate.ts';
import type { CurrentSession, Principal } from './principal.ts';

/** Returns the claims of a valid JWT of a session that was not revoked; null for anything else. */
type Verify = (token: string) => Awaitable<AccessTokenClaims | null>;

/**
 * Creates the credentials of sessions: the JWT in a cookie or as a bearer token. The latter counts only if there is no
 * such cookie, not even an ambiguous one.
 */
export function createSessionCredentials(cookie: string, verify: Verify): readonly SessionCredential[] {
  const verifyAs = (name: string): SessionCredential['verify'] => {
    // The verifier returns the same frozen claims for the same token.
    const known = new WeakMap<AccessTokenClaims, Principal>();
    const toKnown = (claims: AccessTokenClaims | null): Principal | null => {
      if (claims === null) return null;
      const principal = known.get(claims) ?? toPrincipal(claims, name);
      known.set(claims, principal);
      return principal;
    };
    return (token) => {
      const claims = verify(token);
      return claims instanceof Promise ? claims.then(toKnown) : toKnown(claims);
    };
  };
  return [
    {
      name: 'cookie',
      read: (headers) => readCookie(headers, cookie),
      verify: verifyAs('cookie'),
    },
    { name: 'bearer', isCsrfExempt: true, read: bearerJwt, verify: verifyAs('bearer') },
  ];
}

/** Returns a bearer token of the form of a JWT. Any other is left to the credentials of the app. */
function bearerJwt(headers: Headers): string | null {
  const token = bearerToken(headers);
  return token !== null && compactForm.test(token) ? token : null;
}

/** @see RFC 7515 section 7.1 */
const compactForm = /^[^.]+\.[^.]+\.[^.]+$/;

/** Mutable parts are made anew for each reader, because all requests with a token share its principal. */
function toPrincipal(claims: AccessTokenClaims, credential: string): Principal {
  const { sub, sid, tenantId, role } = claims;
  return Object.freeze({
    userId: sub,
    sessionId: sid,
    tenantId,
    role,
    credential,
    get secondFactorAt() {
      return toSecondFactorAt(claims);
    },
    get session() {
      return toCurrentSession(claims);
    },
  });
}

function toCurrentSession(claims: AccessTokenClaims): CurrentSession {
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
    secondFactorAt: toSecondFactorAt(claims),
  };
}

function toSecondFactorAt({ fva }: AccessTokenClaims): Date | null {
  return fva === undefined ? null : new Date(fva * 1000);
}

function toDate(claim: JsonValue | undefined): Date {
  return new Date(typeof claim === 'string' ? claim : Number.NaN);
}
