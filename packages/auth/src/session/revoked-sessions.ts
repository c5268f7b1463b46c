import type { Clock, SessionId } from '@x/store';

/** The sessions whose JWTs this process refuses although their signature and expiry are good. */
export interface RevokedSessions {
  /** Refuses the session's JWTs below a `ver`; without one, all of them. */
  add(id: SessionId, lowestVer?: number): void;
  /** Says whether a JWT with this `ver` is refused. */
  has(id: SessionId, ver: number): boolean;
}

/**
 * Creates the set. An entry lives as long as the longest JWT, so that none is needed after it; at most
 * `maxEntries` are kept, the oldest give way, and their JWTs die by expiry instead.
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
    add(id, lowestVer = Infinity) {
      const now = clock.now().getTime();
      const lowest = Math.max(lowestVer, entries.get(id)?.lowestVer ?? 0);
      entries.delete(id);
      entries.set(id, { lowestVer: lowest, until: now + ttlMs });
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
