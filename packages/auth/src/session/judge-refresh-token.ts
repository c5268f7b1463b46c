import type { SessionRecord } from '@x/store';
import { timingSafeEqual } from 'node:crypto';

/** A refresh token of the session that we made: its MAC was verified. */
export interface AuthenticRefreshToken {
  /** What its session stores of it while it is the current one. */
  readonly hash: string;
  readonly generation: number;
}

/**
 * What a refresh token is worth.
 *
 * - `current`: it may be rotated.
 * - `retried`: the answer to its rotation may have been lost, so it is given again.
 * - `reused`: it was rotated away before, so two parties hold the chain (RFC 9700 section 4.14.2).
 * - `refused`: the session is over, or the token is from a future that a restored backup forgot.
 */
export type RefreshVerdict = 'current' | 'retried' | 'reused' | 'refused';

/** Judges a refresh token by its session as of now. `graceMs` counts from the rotation and leaves out its end. */
export function judgeRefreshToken(
  token: AuthenticRefreshToken,
  session: SessionRecord,
  { now, graceMs }: { readonly now: Date; readonly graceMs: number },
): RefreshVerdict {
  if (isOver(session, now)) return 'refused';
  if (token.generation > session.generation) return 'refused';
  if (isSameHash(token.hash, session.refreshTokenHash)) return 'current';
  const isPrevious = session.previousTokenHash !== null && isSameHash(token.hash, session.previousTokenHash);
  // Less than no time passes where another machine's clock is ahead.
  return isPrevious && now.getTime() - session.rotatedAt.getTime() < graceMs ? 'retried' : 'reused';
}

/** Says whether a session was revoked or has expired. */
export function isOver({ revokedAt, expiresAt }: SessionRecord, now: Date): boolean {
  return revokedAt !== null || now >= expiresAt;
}

function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
