/** How long a refresh may take: less than the ten seconds in which the server repeats a lost response. */
export const longestRefreshMs = 5000;

/** How long any other change of the session may take; no tab can refresh meanwhile. */
export const longestChangeMs = 30_000;

/**
 * Returns how long to wait after consecutive failures, the first being number 0: at least as long as the server asked
 * for. The first waits are short, because a lost response is repeated for only ten seconds.
 */
export function backOffMs(failures: number, retryAfterSeconds = 0): number {
  return Math.max(Math.min(500 * 2 ** failures, 16_000), retryAfterSeconds * 1000) * (1 + Math.random() / 4);
}

/**
 * A moment on both clocks of this machine, in milliseconds: first on the monotonic one, then on the one that a user can
 * set. All tabs read the same ones.
 */
export type Moment = readonly [ticks: number, wall: number];

export function now(): Moment {
  return [performance.timeOrigin + performance.now(), Date.now()];
}

/**
 * Returns the milliseconds since a moment, on the clock that advanced more: the monotonic one may stop while the
 * machine sleeps, and the other one may be set back. Too high a value only causes an early refresh.
 */
export function elapsedMs([ticks, wall]: Moment): number {
  const [laterTicks, laterWall] = now();
  return Math.max(laterTicks - ticks, laterWall - wall);
}
