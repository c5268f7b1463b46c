import type { SessionId } from './id.ts';

/**
 * Builds the stored hash of a refresh token from its session and its SHA-256, base64url: `<session id>.<digest>`.
 *
 * Because the hash names its session, it is found by the session's id. An index over the hashes would be updated at
 * four random places by every rotation, which would dominate its cost with many sessions.
 */
export function toRefreshTokenHash(sessionId: SessionId, digest: string): string {
  return `${sessionId}.${digest}`;
}

/** Parses the session id that a hash names, whether or not that session exists; null if it names none. Never throws. */
export function sessionIdOfHash(hash: string): SessionId | null {
  const end = hash.indexOf('.');
  return end > 0 ? (hash.slice(0, end) as SessionId) : null;
}
