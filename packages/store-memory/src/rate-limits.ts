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
  for (const window of take(windows.select('byEnd', everyWindow), 2)) {
    if (window.resetsAt <= now.getTime()) windows.delete(window.key);
  }
  if (windows.size >= maxWindows) throw storeUnavailable();
}

function countAttempt(windows: RateLimitTable, window: RateLimitRow, maxAttempts: number): RateLimitVerdict {
  const allowed = window.count < maxAttempts;
  const count = allowed ? window.count + 1 : window.count;
  if (allowed) windows.put({ ...window, count });
  return { allowed, remaining: Math.max(0, maxAttempts - count), resetsAt: new Date(window.resetsAt) };
}
