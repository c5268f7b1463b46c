import { startStopwatch } from '../../../../tooling/stopwatch.ts';

/** Does some work, and returns its result and the longest time for which the event loop was blocked meanwhile, in ms. */
export async function measurePause<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly longestMs: number }> {
  const stopwatch = startStopwatch();
  let last = stopwatch();
  let longestMs = 0;
  const lookAgain = (): void => {
    const now = stopwatch();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(lookAgain, 1);
  try {
    const result = await work();
    // Work that ends in the turn that it blocked would leave the timer none.
    lookAgain();
    return { result, longestMs };
  } finally {
    clearInterval(timer);
  }
}
