import { CodedError } from '@x/errors';
import type { Clock, RateLimitStore } from '@x/store';

/** The attempts on one key since the first of them. */
interface Window {
  attempts: number;
  readonly resetsAt: Date;
}

/**
 * Creates rate limits in the memory of this process, so that an attempt costs no write to the database: for apps that
 * run in one process, where attempts may be forgotten when it ends. Nothing here awaits, so each step is atomic.
 *
 * @param maxWindows - how many may be open at a time; each takes about 200 bytes
 */
export function createRateLimits(clock: Clock, maxWindows = 1_000_000): RateLimitStore {
  const windows = new Map<string, Window>();

  const findOpen = (key: string): Window | undefined => {
    const window = windows.get(key);
    return window && window.resetsAt > clock.now() ? window : undefined;
  };
  const open = (key: string, windowMs: number): Window => {
    if (windows.size >= maxWindows && !windows.has(key)) throw new CodedError('SERVICE_UNAVAILABLE', 'Try later.');
    const window = { attempts: 0, resetsAt: new Date(clock.now().getTime() + windowMs) };
    windows.set(key, window);
    return window;
  };

  return {
    async check(key, maxAttempts, windowMs) {
      const window = findOpen(key) ?? open(key, windowMs);
      window.attempts++;
      return {
        allowed: window.attempts <= maxAttempts,
        isFirstRefusal: window.attempts === maxAttempts + 1,
        remaining: Math.max(0, maxAttempts - window.attempts),
        resetsAt: window.resetsAt,
      };
    },

    async isFull(key, maxAttempts) {
      return (findOpen(key)?.attempts ?? 0) >= maxAttempts;
    },

    async refund(key, maxAttempts, resetsAt) {
      const window = findOpen(key);
      if (window?.resetsAt.getTime() !== resetsAt.getTime()) return;
      // Refused attempts took nothing.
      window.attempts = Math.max(0, Math.min(window.attempts, maxAttempts) - 1);
    },

    async prune({ limit }) {
      const ended = [...windows].filter(([, { resetsAt }]) => resetsAt <= clock.now());
      const first = ended.sort(([, a], [, b]) => a.resetsAt.getTime() - b.resetsAt.getTime()).slice(0, limit);
      for (const [key] of first) windows.delete(key);
      return first.length;
    },
  };
}
