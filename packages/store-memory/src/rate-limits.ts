import { storeUnavailable, type RateLimitStore, type RateLimitResult } from '@x/store';
import type { RateLimitRow, RateLimitTable } from './rate-limit-table.ts';
import type { Scope } from './scope.ts';
import { take } from './take.ts';

/** The maximum number of windows per operation; while all of them are open, its new keys are refused. */
export const maxWindowsPerOperation = 100_000;

/** The total maximum, so that memory is limited however many operations there are. */
export const maxWindows = 1_000_000;

/** Creates the rate-limit store of a scope. */
export function createRateLimitStore(scope: Scope): RateLimitStore {
  return {
    check: async (key, maxAttempts, windowMs) =>
      scope.write(({ rateLimits }, now) => {
        const window = findWindow(rateLimits, key, now) ?? startWindow(rateLimits, key, now, windowMs);
        return countAttempt(rateLimits, window, maxAttempts);
      }),
    refund: async (key, maxAttempts, resetsAt) => {
      const end = resetsAt.getTime();
      return scope.write(({ rateLimits }, now) => {
        const window = findWindow(rateLimits, key, now);
        if (window?.resetsAt === end) giveBack(rateLimits, window, maxAttempts);
      });
    },
    prune: async ({ limit }) =>
      scope.write(({ rateLimits }, now) => deleteEnded(rateLimits, rateLimits.select(), now, limit)),
  };
}

function findWindow(windows: RateLimitTable, key: string, now: Date): RateLimitRow | undefined {
  const window = windows.get(key);
  return window && now.getTime() < window.resetsAt ? window : undefined;
}

function startWindow(windows: RateLimitTable, key: string, now: Date, windowMs: number): RateLimitRow {
  const operation = toOperation(key);
  makeRoom(windows, operation, now);
  return { key, operation, count: 0, resetsAt: now.getTime() + windowMs };
}

/** Returns the operation of a key, the part before its first colon; keys without a colon share the empty name. */
function toOperation(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf(':')));
}

/**
 * Removes up to two expired windows, first of the operation and then of any, so that they disappear faster than new
 * ones arrive. An open window is never removed, because its key would then be allowed more attempts than its limit. If
 * an operation is full, only its own new keys are refused, so a flood on one does not block another.
 */
function makeRoom(windows: RateLimitTable, operation: string, now: Date): void {
  deleteEnded(windows, windows.selectOf(operation), now, 2);
  deleteEnded(windows, windows.select(), now, 2);
  const isFull = windows.sizeOf(operation) >= maxWindowsPerOperation || windows.size >= maxWindows;
  if (isFull) throw storeUnavailable();
}

function deleteEnded(windows: RateLimitTable, firstToEnd: Iterable<RateLimitRow>, now: Date, limit: number): number {
  const ended = take(firstToEnd, limit).filter(({ resetsAt }) => resetsAt <= now.getTime());
  for (const window of ended) windows.delete(window);
  return ended.length;
}

function countAttempt(windows: RateLimitTable, window: RateLimitRow, maxAttempts: number): RateLimitResult {
  const count = Math.min(window.count, maxAttempts) + 1;
  if (count > window.count) windows.put({ ...window, count });
  return {
    allowed: count <= maxAttempts,
    isFirstRefusal: window.count === maxAttempts,
    remaining: Math.max(0, maxAttempts - count),
    resetsAt: new Date(window.resetsAt),
  };
}

/** The attempt above the limit was refused, so it can't be taken back. */
function giveBack(windows: RateLimitTable, window: RateLimitRow, maxAttempts: number): void {
  windows.put({ ...window, count: Math.max(0, Math.min(window.count, maxAttempts) - 1) });
}
