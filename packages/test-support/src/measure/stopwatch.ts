import { readFileSync } from 'node:fs';

/** Tells how many milliseconds something has taken so far. */
export type Stopwatch = () => number;

/**
 * Starts a stopwatch for what this thread does together with the main threads of other processes. It stands still while
 * one of them could run but has no core, because the machine is busy with something else: a limit that a program
 * promises says nothing of that. If the system does not say, and if nothing else runs, it is a plain one.
 */
export function startStopwatch(processIds: readonly number[] = []): Stopwatch {
  const threads = ['thread-self', ...processIds].map(followRunDelay);
  const delayMs = (): number => threads.reduce((sum, readMs) => sum + readMs(), 0);
  const startedAt = readWithoutDelay(delayMs);
  return () => readWithoutDelay(delayMs) - startedAt;
}

/** Returns the time without the delay. If this thread lost its core between the two, they do not belong together. */
function readWithoutDelay(delayMs: () => number): number {
  for (let before = delayMs(); ;) {
    const now = performance.now();
    const after = delayMs();
    if (after === before) return now - after;
    before = after;
  }
}

/** Returns what reads how long a thread has waited for a core in all; the last it had, once it is gone. */
function followRunDelay(thread: number | string): () => number {
  let lastMs = 0;
  return () => {
    try {
      const [, waitedNs] = readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ');
      lastMs = Number(waitedNs) / 1e6;
    } catch {
      // It has ended, or the system has no such file.
    }
    return lastMs;
  };
}
