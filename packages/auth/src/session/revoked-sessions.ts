import type { Clock, Revocation, SessionId } from '@x/store';

/** The sessions whose JWTs this process refuses although their signature and expiry are good. */
export interface RevokedSessions {
  /** Refuses the JWTs that a revocation speaks of. */
  add(revocation: Revocation): void;
  /** Says whether a JWT with this `ver` is refused. */
  has(id: SessionId, ver: number): boolean;
}

/** How long a JWT may take from the look at its session to its signature. */
const signingMs = 10_000;

/**
 * Creates the set. An entry outlives every JWT that was under way when it was made, so that none is needed after it;
 * at most `maxEntries` are kept, the oldest give way, and their JWTs die by expiry instead.
 */
export function createRevokedSessions(options: {
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly maxEntries?: number;
}): RevokedSessions {
  const { clock, ttlMs, maxEntries = 100_000 } = options;
  // Oldest first: each entry lives equally long, and adding moves one to the end.
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
