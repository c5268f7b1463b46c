import type { Clock, Revocation, SessionId } from '@x/store';

/** The sessions whose JWTs this process refuses although they are signed and unexpired. */
export interface RevokedSessions {
  /** Refuses the JWTs that a revocation covers. */
  add(revocation: Revocation): void;
  /** Says whether a JWT with this `ver` is refused. */
  has(id: SessionId, ver: number): boolean;
}

/** How long a JWT may take between reading its session and signing it. */
const signingMs = 10_000;

/**
 * Creates the set. An entry outlives every JWT that was being issued when it was added. At most `maxEntries` are kept;
 * beyond that the oldest are dropped, and their JWTs end by expiring. An entry is an id of a session, which is ours and
 * 36 characters long, and two numbers: with its place in the map some 150 bytes, so that all take up to 15 MB.
 */
export function createRevokedSessions(options: {
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly maxEntries?: number;
}): RevokedSessions {
  const { clock, ttlMs, maxEntries = 100_000 } = options;
  // Oldest first: all entries live equally long, and adding one moves it to the end.
  const entries = new Map<SessionId, { readonly lowestVer: number; readonly until: number }>();

  return {
    add({ sessionId, lowestVer }) {
      const now = clock.now().getTime();
      const lowest = Math.max(lowestVer ?? Infinity, entries.get(sessionId)?.lowestVer ?? 0);
      entries.delete(sessionId);
      entries.set(sessionId, { lowestVer: lowest, until: now + ttlMs + signingMs });
      for (const [oldest, { until }] of entries) {
        if (until > now && entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
    has(id, ver) {
      const entry = entries.get(id);
      return entry !== undefined && ver < entry.lowestVer;
    },
  };
}
