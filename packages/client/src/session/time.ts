/** How long a refresh may take: less than the ten seconds in which the server repeats an answer that was lost. */
export const longestRefreshMs = 5000;

/** How long anything else may take that changes the session: no tab can refresh meanwhile. */
export const longestChangeMs = 30_000;

/**
 * Returns how many milliseconds a JWT is good for from the moment of its answer, by the server's clock alone: that of this
 * machine may be wrong by hours.
 *
 * @param serverTime - the `Date` header of the answer, which leaves out up to a second; that one is not counted on. `NaN`
 * where the header is not to be seen, as it is not for another origin's pages, or the clocks of the server disagree: then
 * half a minute is a guess that a 401 corrects
 */
export function lifetimeMs(expiresAt: string, serverTime?: number): number {
  const milliseconds = Date.parse(expiresAt) - Number(serverTime);
  return milliseconds > 0 ? Math.max(milliseconds - 1000, 500) : 30_000;
}

/** Returns when to refresh: at about three quarters of the lifetime, earlier in some tabs than in others. */
export function refreshDelayMs(lifetime: number): number {
  // Timers overflow above 24 days.
  return Math.min(lifetime * (0.75 - Math.random() / 10), 2 ** 31 - 1);
}

/**
 * Returns how long to wait after failures in a row, the first of which is number 0: at least what the server asked for.
 * The first waits are short, for an answer that was lost is given again for ten seconds only.
 */
export function backOffMs(failures: number, retryAfterSeconds = 0): number {
  const wait = Math.min(500 * 2 ** failures, 16_000);
  return Math.max(wait, retryAfterSeconds * 1000) * (1 + Math.random() / 4);
}

/** A moment by both clocks of this machine. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function now(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/**
 * Returns the milliseconds since a moment, by the clock that counted more: the monotonic one may stand still while the
 * machine sleeps, and the other may be set back. Too many only make for a refresh that was not needed yet.
 */
export function elapsedMs(since: Moment): number {
  return Math.max(performance.now() - since.monotonic, Date.now() - since.wall);
}
