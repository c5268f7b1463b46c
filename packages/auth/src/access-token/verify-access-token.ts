import type { KeyObject } from 'node:crypto';
import type { Clock } from '@x/store';
import { compactVerify } from 'jose/jws/compact/verify';
import { LRUCache } from 'lru-cache';
import type { KeyRing } from '../keys/key-ring.ts';
import { fromPayload, type AccessTokenClaims } from './access-token-claims.ts';
import { parseCompactJws } from './parse-compact-jws.ts';

/** A value, or the promise of one that is not there yet. */
export type Awaitable<T> = T | Promise<T>;

/** Verifies access tokens. */
export interface AccessTokenVerifier {
  /**
   * Returns the claims of a token that we signed and that is good now; null for anything else. Never
   * throws. Whether the session was revoked meanwhile is not checked. The claims are frozen.
   *
   * A token that is remembered is answered at once, without a promise: most are, and requests come often.
   */
  verify(token: string): Awaitable<AccessTokenClaims | null>;
}

/** What a verifier works with. */
export interface AccessTokenVerifierOptions {
  readonly keyRing: KeyRing;
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  /** How many tokens are remembered as verified, so that their signature is checked once. Default 10 000. */
  readonly cacheSize?: number;
}

/** A token with a good signature from the right issuer for the right audience; the moment has to be checked yet. */
interface AuthenticToken {
  readonly claims: AccessTokenClaims;
  /** The later of `iat` and `nbf`, in milliseconds since the epoch. */
  readonly notBefore: number;
}

/** How far the clocks of two of our machines may be apart. None is granted on `exp`. */
const leewayMs = 5000;

/**
 * Creates a verifier of access tokens.
 *
 * The tokens whose signature was good are kept, the least recently used giving way, and asked for before
 * any asymmetric cryptography. The time claims are checked on every call.
 */
export function createAccessTokenVerifier(options: AccessTokenVerifierOptions): AccessTokenVerifier {
  const { clock, cacheSize = 10_000 } = options;
  const cache = new LRUCache<string, AuthenticToken>({ max: cacheSize });
  const verifyAnew = async (token: string): Promise<AccessTokenClaims | null> => {
    const authentic = await authenticate(token, options);
    if (authentic === null || !isGoodAt(clock.now().getTime(), authentic)) return null;
    cache.set(token, authentic);
    return authentic.claims;
  };
  return {
    verify(token) {
      const known = cache.get(token);
      if (known !== undefined) return isGoodAt(clock.now().getTime(), known) ? known.claims : null;
      return verifyAnew(token);
    },
  };
}

/** Checks everything of a token that does not change with time. */
async function authenticate(token: string, options: AccessTokenVerifierOptions): Promise<AuthenticToken | null> {
  const { keyRing, issuer, audience } = options;
  const jws = typeof token === 'string' ? parseCompactJws(token) : null;
  const key = jws && findKey(jws.header, keyRing);
  if (jws === null || key === null) return null;
  if (!(await hasGoodSignature(token, key, keyRing))) return null;
  const payload = jws.readPayload();
  const claims = payload && fromPayload(payload);
  if (claims === null || claims.iss !== issuer || claims.aud !== audience) return null;
  const { nbf = claims.iat } = payload ?? {};
  if (typeof nbf !== 'number') return null;
  return { claims: deepFreeze(claims), notBefore: Math.max(claims.iat, nbf) * 1000 };
}

async function hasGoodSignature(token: string, key: KeyObject, { algorithm }: KeyRing): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the key that a header names. The header has our three members and no other: `jwk`, `jku`, `x5u`,
 * `x5c`, `crit` and `b64` are never looked at. The algorithm is ours, the header has to repeat it.
 *
 * @see RFC 8725 sections 3.1, 3.10 and 3.11
 */
function findKey(
  header: Readonly<Record<string, unknown>>,
  { algorithm, verificationKeys }: KeyRing,
): KeyObject | null {
  const { alg, kid, typ, ...others } = header;
  if (alg !== algorithm || typ !== 'JWT' || typeof kid !== 'string') return null;
  return Object.keys(others).length === 0 ? (verificationKeys.get(kid) ?? null) : null;
}

/** RFC 7519 sections 4.1.4 to 4.1.6. */
function isGoodAt(now: number, { claims, notBefore }: AuthenticToken): boolean {
  return now < claims.exp * 1000 && notBefore <= now + leewayMs;
}

/** Callers share the cached claims, so none may change them. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
