import type { SessionRecord } from '@x/store';
import { timingSafeEqual } from 'node:crypto';

/** A refresh token that we issued for the session: its MAC was verified. */
export interface AuthenticRefreshToken {
  /** The hash that the session stores while this token is the current one. */
  readonly hash: string;
  readonly generation: number;
}

/**
 * The verdict on a refresh token.
 *
 * - `current`: it may be rotated.
 * - `retried`: the answer to its rotation may have been lost, so the same answer is given again.
 * - `reused`: it was rotated before, so two parties hold the chain (RFC 9700 section 4.14.2).
 * - `refused`: the session has ended, or the token is from a future that was lost when a backup was restored.
 */
export type RefreshVerdict = 'current' | 'retried' | 'reused' | 'refused';

/** Judges a refresh token by its session as of now. `graceMs` counts from the rotation; its last moment is excluded. */
export function judgeRefreshToken(
  token: AuthenticRefreshToken,
  session: SessionRecord,
  { now, graceMs }: { readonly now: Date; readonly graceMs: number },
): RefreshVerdict {
  if (isOver(session, now)) return 'refused';
  if (token.generation > session.generation) return 'refused';
  if (isSameHash(token.hash, session.refreshTokenHash)) return 'current';
  const isPrevious = session.previousTokenHash !== null && isSameHash(token.hash, session.previousTokenHash);
  // The difference is negative if the clock of another machine is ahead.
  return isPrevious && now.getTime() - session.rotatedAt.getTime() < graceMs ? 'retried' : 'reused';
}

/** Says whether a session was revoked or has expired. */
export function isOver({ revokedAt, expiresAt }: SessionRecord, now: Date): boolean {
  return revokedAt !== null || now >= expiresAt;
}

function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
