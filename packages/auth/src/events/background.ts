/** Work that continues after its response, tracked so that a shutdown can wait for it. */
export interface BackgroundTasks {
  /** Adds work, which must never reject. */
  add(work: Promise<void>): void;
  /** Waits until no work is left, including work added meanwhile. */
  drain(): Promise<void>;
}

/** Creates an empty list of tasks. */
export function createBackgroundTasks(): BackgroundTasks {
  const underWay = new Set<Promise<void>>();
  return {
    add(work) {
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    },
    async drain() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
