/** Work that goes on after its answer was given, so that a stop can wait for it. */
export interface BackgroundTasks {
  /** Takes up work that never rejects. */
  add(work: Promise<void>): void;
  /** Waits until nothing is under way, what is added meanwhile included. */
  drain(): Promise<void>;
}

/** Creates an empty list of work. */
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
