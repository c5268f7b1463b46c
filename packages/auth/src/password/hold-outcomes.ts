/** Runs work, and may hold back its outcome for a while. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a function that holds outcomes back while more than `few` are in progress, and then releases all of them
 * together.
 *
 * Hashing fills the CPU caches, so code that runs between two hashes starts cold. Sign-ins that continue together take
 * less time on the event loop, and share a commit. An answer is delayed only while others are waiting anyway.
 *
 * @param few - up to this many are never waited for
 */
export function holdOutcomes(few: number): Hold {
  let underWay = 0;
  let held: (() => void)[] = [];

  const release = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(resolve);
    underWay -= 1;
    if (underWay <= few) {
      for (const tell of held) tell();
      held = [];
    }
    return promise;
  };
  return async (work) => {
    underWay += 1;
    try {
      return await work();
    } finally {
      await release();
    }
  };
}
