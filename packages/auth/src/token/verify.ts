// A cached token is verified at once, and `GET /session` answered without a promise all the way (`createAuthenticator`,
// its route, the handlers of auth and the server): a request takes a few microseconds more than Hono's hello (row
// `session` of the bench). The admission, too, has to know at once which users the requests in flight belong to.
import { type Awaitable, isObject } from '@x/errors';
import type { Clock } from '@x/store';
import { compactVerify } from 'jose/jws/compact/verify';
import { LRUCache } from 'lru-cache';
import type { KeyObject } from 'node:crypto';
import { fromBase64url } from '../keys/base64url.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { type AccessTokenClaims, fromPayload, type Payload } from './claims.ts';

/** Verifies access tokens. */
export interface AccessTokenVerifier {
  /**
   * Returns the claims of a token that we issued and that is valid now; null for anything else. Never throws. Does not
   * check whether the session has been revoked. The claims are frozen.
   *
   * A cached token is verified synchronously: most are cached, and requests are frequent.
   */
  verify(token: string): Awaitable<AccessTokenClaims | null>;
}

/** The dependencies of a verifier. */
export interface AccessTokenVerifierOptions {
  readonly keyRing: KeyRing;
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  /**
   * How long the verified tokens are together that are cached, so that each signature is checked once. Default 2^21:
   * some 4500 usual ones, or 1500 that carry an access set. With the claims, an entry takes up to five times its token,
   * so all take up to 10 MB.
   */
  readonly maxCachedLength?: number;
}

/** A token with a valid signature, issuer and audience. Whether it is valid now is still to be checked. */
interface AuthenticToken {
  readonly claims: AccessTokenClaims;
  /** The later of `iat` and `nbf`, in milliseconds since the epoch. */
  readonly notBefore: number;
}

/** More than there is room for. */
const maxCached = 5_000;

/** How far the clocks of two of our machines may be apart. `exp` gets no leeway. */
const leewayMs = 5000;

/**
 * Creates a verifier of access tokens.
 *
 * Tokens with a valid signature are cached (least recently used evicted first), and the cache is consulted before any
 * asymmetric cryptography. The time claims are checked on every call.
 */
export function createAccessTokenVerifier(options: AccessTokenVerifierOptions): AccessTokenVerifier {
  const { clock, maxCachedLength = 2 ** 21 } = options;
  const cache = new LRUCache<string, AuthenticToken>({
    max: maxCached,
    maxSize: maxCachedLength,
    sizeCalculation: (_, { length }) => length,
  });
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

/** Checks everything about a token that does not change with time. */
async function authenticate(token: string, options: AccessTokenVerifierOptions): Promise<AuthenticToken | null> {
  const { keyRing, issuer, audience } = options;
  const header = readHeader(token);
  const key = header && findKey(header, keyRing);
  const payload = key && (await verifySignature(token, key, keyRing));
  const claims = payload && fromPayload(payload);
  if (claims === null || claims.iss !== issuer || claims.aud !== audience) return null;
  const { nbf = claims.iat } = payload ?? {};
  if (typeof nbf !== 'number') return null;
  return { claims: deepFreeze(claims), notBefore: Math.max(claims.iat, nbf) * 1000 };
}

/** Longer tokens are refused unread. A cookie can't carry more than 4096 bytes. */
const maxLength = 8192;

/**
 * Reads the header of a token that has not been verified yet; null if the text is not the compact serialization of RFC
 * 7515 section 7.1. Never throws.
 *
 * Stricter than the RFC requires: at most 8 KiB, and only canonical base64url, so that each token has exactly one
 * spelling.
 */
function readHeader(token: string): Payload | null {
  if (typeof token !== 'string' || token.length > maxLength) return null;
  const [header, payload, signature, ...rest] = token.split('.').map(fromBase64url);
  if (!header?.length || !payload?.length || !signature?.length || rest.length > 0) return null;
  return parseObject(header);
}

/**
 * Returns the key that a header names. The header must have our three members and no others, so `jwk`, `jku`, `x5u`,
 * `x5c`, `crit` and `b64` are never read. The algorithm is ours, and the header must repeat it.
 *
 * @see RFC 8725 sections 3.1, 3.10 and 3.11
 */
function findKey(header: Payload, { algorithm, verificationKeys }: KeyRing): KeyObject | null {
  const { alg, kid, typ, ...others } = header;
  if (alg !== algorithm || typ !== 'JWT' || typeof kid !== 'string') return null;
  return Object.keys(others).length === 0 ? (verificationKeys.get(kid) ?? null) : null;
}

/** Returns the payload that was signed; null without a valid signature, or if it is not a JSON object. */
async function verifySignature(token: string, key: KeyObject, { algorithm }: KeyRing): Promise<Payload | null> {
  try {
    return parseObject((await compactVerify(token, key, { algorithms: [algorithm] })).payload);
  } catch {
    return null;
  }
}

/** Refuses ill-formed UTF-8, and leaves a byte order mark for `JSON.parse` to refuse. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseObject(bytes: Uint8Array): Payload | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** RFC 7519 sections 4.1.4 to 4.1.6. */
function isGoodAt(now: number, { claims, notBefore }: AuthenticToken): boolean {
  return now < claims.exp * 1000 && notBefore <= now + leewayMs;
}

/** Callers share the cached claims, so they are frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
