/** Work that continues after its response, tracked so that a shutdown can wait for it. */
export interface BackgroundTasks {
  /** Adds work, which must never reject. */
  add(work: Promise<void>): void;
  /** Waits until no work is left, including work added meanwhile. */
  drain(): Promise<void>;
}

/** Creates an empty list of tasks. */
export function createBackgroundTasks(): BackgroundTasks {
  const inFlight = new Set<Promise<void>>();
  return {
    add(work) {
      inFlight.add(work);
      void work.finally(() => inFlight.delete(work));
    },
    async drain() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
