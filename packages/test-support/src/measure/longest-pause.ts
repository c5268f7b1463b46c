/**
 * Does some work, and returns its result and the longest turn of the event loop meanwhile, in milliseconds of a core
 * that this thread used in one turn. So what else the machine does is not counted: while this thread waits for a core,
 * or for a thread or a process that has none, nothing here could go on sooner.
 */
export async function measurePause<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly longestMs: number }> {
  let last = usedMs();
  let longestMs = 0;
  const lookAgain = (): void => {
    const now = usedMs();
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

/** Returns how much time of a core this thread has had. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
