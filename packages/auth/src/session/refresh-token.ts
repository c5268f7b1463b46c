import { type SessionId, type SessionRecord, toRefreshTokenHash } from '@x/store';
import type { KeyObject } from 'node:crypto';
import { hashSecret, hmacSha256, isSame } from '../crypto/hash.ts';
import { fromBase64url } from '../keys/base64url.ts';

/** The values that determine a refresh token, together with the key. */
interface RefreshTokenSeed {
  readonly sessionId: SessionId;
  /** How often the session has been rotated, from 0 to 2^32 - 1. */
  readonly generation: number;
  /** The session's 32 random bytes, base64url. */
  readonly salt: string;
}

/** The parts of a refresh token that has not been verified yet. */
export interface ParsedRefreshToken {
  readonly sessionId: SessionId;
  readonly generation: number;
  readonly mac: Uint8Array;
}

/** Derives and verifies refresh tokens. Whether a token is the current one is up to the session row. */
export interface RefreshTokens {
  /** Derives a token with the first key. The same seed gives the same token, so that a retry gets the same response. */
  derive(seed: RefreshTokenSeed): string;
  /** Derives the token with this hash, with whichever key made it; null if none did. */
  deriveAgain(seed: RefreshTokenSeed, hash: string): string | null;
  /** Parses a token; null if the text is not one. Never throws. */
  parse(token: string): ParsedRefreshToken | null;
  /** Says, in constant time, whether one of the keys made this token for a session with this salt. */
  verify(token: ParsedRefreshToken, salt: string): boolean;
}

const label = Buffer.from('app/refresh');
const layout = { sessionId: 16, generation: 4, mac: 32 } as const;
const headBytes = layout.sessionId + layout.generation;
const tokenBytes = headBytes + layout.mac;

/**
 * Creates the refresh tokens for a list of keys: the current one first, then older ones whose tokens are still
 * accepted.
 *
 * A token is base64url(sid ‖ generation ‖ HMAC-SHA-256(key, "app/refresh" ‖ sid ‖ generation ‖ salt)). Neither the
 * database alone (it has the salt, not the key) nor the keys alone are enough to make one.
 *
 * @throws TypeError if there is no key
 */
export function createRefreshTokens(keys: readonly KeyObject[]): RefreshTokens {
  const secrets = keys.map((key) => key.export());
  const [current] = secrets;
  if (current === undefined) throw new TypeError('Refresh tokens need at least one key.');
  return {
    derive: (seed) => encode(current, seed),
    deriveAgain: (seed, stored) => {
      // One after the other: nearly always the first key matches.
      for (const key of secrets) {
        const token = encode(key, seed);
        if (hashRefreshToken(seed.sessionId, token) === stored) return token;
      }
      return null;
    },
    parse: parseToken,
    verify: ({ sessionId, generation, mac }, salt) => {
      const head = toHead(sessionId, generation);
      return secrets.some((key) => isSame(computeMac(key, head, salt), mac));
    },
  };
}

/** Returns the stored hash of a session's refresh token: its SHA-256, base64url, after the session's id. */
export function hashRefreshToken(sessionId: SessionId, token: string): string {
  return toRefreshTokenHash(sessionId, hashSecret(token));
}

/** Derives the current token of a session again; null if its secret was removed from the configuration. */
export function deriveCurrentToken(refreshTokens: RefreshTokens, session: SessionRecord): string | null {
  const { id: sessionId, generation, refreshSalt: salt, refreshTokenHash } = session;
  return refreshTokens.deriveAgain({ sessionId, generation, salt }, refreshTokenHash);
}

function encode(key: Uint8Array, { sessionId, generation, salt }: RefreshTokenSeed): string {
  const head = toHead(sessionId, generation);
  return Buffer.concat([head, computeMac(key, head, salt)]).toString('base64url');
}

function parseToken(token: string): ParsedRefreshToken | null {
  const bytes = fromBase64url(token);
  if (bytes?.length !== tokenBytes) return null;
  const hex = bytes.toString('hex', 0, layout.sessionId);
  return {
    sessionId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as SessionId,
    generation: bytes.readUInt32BE(layout.sessionId),
    mac: bytes.subarray(headBytes),
  };
}

function toHead(sessionId: SessionId, generation: number): Buffer {
  if (!isSessionId(sessionId)) throw new TypeError('A session id must be a UUID in lower case.');
  const head = Buffer.alloc(headBytes);
  head.write(sessionId.replaceAll('-', ''), 'hex');
  head.writeUInt32BE(generation, layout.sessionId);
  return head;
}

function computeMac(key: Uint8Array, head: Buffer, salt: string): Uint8Array {
  return hmacSha256(key, Buffer.concat([label, head, Buffer.from(salt, 'base64url')]));
}

/** Says whether a text has the form of a session id: a UUID in lower case. */
export function isSessionId(text: unknown): text is SessionId {
  return typeof text === 'string' && uuid.test(text);
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
