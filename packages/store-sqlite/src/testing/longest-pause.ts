import { startStopwatch } from '../../../../tooling/stopwatch.ts';

/** Does some work, and returns its result and the longest time for which the event loop was blocked meanwhile, in ms. */
export async function measurePause<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly longestMs: number }> {
  const stopwatch = startStopwatch();
  let last = stopwatch();
  let longestMs = 0;
  const timer = setInterval(() => {
    const now = stopwatch();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }, 1);
  try {
    return { result: await work(), longestMs };
  } finally {
    clearInterval(timer);
  }
}
