/** Runs work, and may keep its outcome for a while. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates what keeps outcomes back while more than so many are still to come, and then hands out all of them at once.
 *
 * Hashing fills the caches of the cores, so whatever comes between two hashes starts cold: a sign-in takes the event loop less
 * time if others go on with it, and they share a commit. Nobody's answer waits unless others would wait anyway.
 *
 * @param few - so many are never waited for
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
