import { storeUnavailable, type RateLimitStore, type RateLimitVerdict } from '@x/store';
import { everyWindow, type RateLimitRow, type RateLimitTable } from './rate-limit-table.ts';
import type { Scope } from './scope.ts';
import { take } from './take.ts';

/** How many windows are kept at most; while all of them are under way, new keys are refused. */
export const maxWindows = 100_000;

/** Creates the rate-limit store of a scope. */
export function createRateLimitStore(scope: Scope): RateLimitStore {
  return {
    check: async (key, maxAttempts, windowMs) =>
      scope.write(({ rateLimits }, now) => {
        const window = findWindow(rateLimits, key, now) ?? startWindow(rateLimits, key, now, windowMs);
        return countAttempt(rateLimits, window, maxAttempts);
      }),
    prune: async ({ limit }) => scope.write(({ rateLimits }, now) => deleteEnded(rateLimits, now, limit)),
  };
}

function findWindow(windows: RateLimitTable, key: string, now: Date): RateLimitRow | undefined {
  const window = windows.get(key);
  return window && now.getTime() < window.resetsAt ? window : undefined;
}

function startWindow(windows: RateLimitTable, key: string, now: Date, windowMs: number): RateLimitRow {
  makeRoom(windows, now);
  return { key, count: 0, resetsAt: now.getTime() + windowMs };
}

/**
 * Removes up to two windows that are over, so that they go faster than new ones come. One that is under way never
 * gives way: its key would be allowed more attempts than its limit.
 */
function makeRoom(windows: RateLimitTable, now: Date): void {
  deleteEnded(windows, now, 2);
  if (windows.size >= maxWindows) throw storeUnavailable();
}

function deleteEnded(windows: RateLimitTable, now: Date, limit: number): number {
  const first = take(windows.select('byEnd', everyWindow), limit);
  const ended = first.filter(({ resetsAt }) => resetsAt <= now.getTime());
  for (const { key } of ended) windows.delete(key);
  return ended.length;
}

function countAttempt(windows: RateLimitTable, window: RateLimitRow, maxAttempts: number): RateLimitVerdict {
  const count = Math.min(window.count, maxAttempts) + 1;
  if (count > window.count) windows.put({ ...window, count });
  return {
    allowed: count <= maxAttempts,
    isFirstRefusal: window.count === maxAttempts,
    remaining: Math.max(0, maxAttempts - count),
    resetsAt: new Date(window.resetsAt),
  };
}
