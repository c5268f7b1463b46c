import type { SessionId } from './id.ts';

/**
 * Builds what is stored of a refresh token from its session and its SHA-256, base64url: `<session id>.<digest>`.
 *
 * A hash that names its session is found by the session's id. Every rotation would change indexes over hashes at four
 * random places, which is most of its cost among many sessions.
 */
export function toRefreshTokenHash(sessionId: SessionId, digest: string): string {
  return `${sessionId}.${digest}`;
}

/** Reads which session a hash is of, or would be of if there is one; null where the text names none. Never throws. */
export function sessionIdOfHash(hash: string): SessionId | null {
  const end = hash.indexOf('.');
  return end > 0 ? (hash.slice(0, end) as SessionId) : null;
}
