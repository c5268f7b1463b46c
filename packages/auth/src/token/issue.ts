import type { Clock } from '@x/store';
import { SignJWT } from 'jose/jwt/sign';
import type { KeyRing } from '../keys/key-ring.ts';
import { type AccessTokenClaims, toPayload } from './claims.ts';

/** The claims that say whom a token is for; the issuer adds the others. */
export type AccessTokenSubject = Omit<AccessTokenClaims, 'iss' | 'aud' | 'iat' | 'exp' | 'jti'>;

/** A token, and when it expires. */
export interface IssuedAccessToken {
  /** The JWT. Secret. */
  readonly token: string;
  /** Exactly the moment of the `exp` claim. */
  readonly expiresAt: Date;
}

/** Issues access tokens: short-lived JWTs that are verified without reading a store. */
export interface AccessTokenIssuer {
  /** Issues a token that is valid for the configured time, but not beyond the second that contains `notAfter`. */
  issue(subject: AccessTokenSubject, notAfter: Date): Promise<IssuedAccessToken>;
}

/** The dependencies of an issuer. */
interface AccessTokenIssuerOptions {
  readonly keyRing: KeyRing;
  readonly issuer: string;
  readonly audience: string;
  /** How long a token is valid, in whole seconds, counted from the second in which it is issued. */
  readonly ttlSeconds: number;
  readonly clock: Clock;
}

/** Creates an issuer of access tokens. */
export function createAccessTokenIssuer(options: AccessTokenIssuerOptions): AccessTokenIssuer {
  const { keyRing, issuer, audience, ttlSeconds, clock } = options;
  const header = { alg: keyRing.algorithm, kid: keyRing.kid, typ: 'JWT' } as const;
  return {
    async issue(subject, notAfter) {
      const iat = Math.floor(clock.now().getTime() / 1000);
      const exp = Math.min(iat + ttlSeconds, Math.ceil(notAfter.getTime() / 1000));
      const payload = toPayload({ ...subject, iss: issuer, aud: audience, jti: crypto.randomUUID(), iat, exp });
      const token = await new SignJWT(payload).setProtectedHeader(header).sign(keyRing.signingKey);
      return { token, expiresAt: new Date(exp * 1000) };
    },
  };
}
