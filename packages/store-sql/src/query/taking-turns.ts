import { storeUnavailable } from '@x/store';
import { maxWaitMs } from '@x/store/engine';

/** The user on whose behalf a query runs; null for the app itself. */
export type Caller = string | null;

/** What is shared, and how long one may wait for it. */
export interface TakingTurnsOptions {
  /** How many jobs may run at the same time, 1 or more. */
  readonly places: number;
  /** How long a job may wait for its turn before it is refused, in milliseconds. Default: 2000. */
  readonly maxWaitMs?: number;
}

/**
 * Runs a few jobs at a time, for callers who take turns.
 *
 * Each caller has a line of their own, and the first of each line are served in turn. So whoever comes first in their
 * line waits for at most one of every other caller, however many of those are waiting.
 */
export class TakingTurns {
  /** The callbacks of waiting jobs by caller, in the order of turns. No line is empty. */
  readonly #lines = new Map<Caller, Set<() => void>>();
  readonly #maxWaitMs: number;
  #free: number;

  constructor(options: TakingTurnsOptions) {
    this.#free = options.places;
    this.#maxWaitMs = options.maxWaitMs ?? maxWaitMs;
  }

  /**
   * Runs a job when it is the caller's turn.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if it has waited for too long; it does not run then
   */
  async run<T>(caller: Caller, job: () => Promise<T>): Promise<T> {
    await this.#enter(caller);
    try {
      return await job();
    } finally {
      this.#leave();
    }
  }

  #enter(caller: Caller): Promise<void> {
    if (this.#free === 0) return this.#wait(caller);
    this.#free -= 1;
    return Promise.resolve();
  }

  #wait(caller: Caller): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(caller) ?? new Set();
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        line.delete(enter);
        if (line.size === 0) this.#lines.delete(caller);
        reject(storeUnavailable());
      };
      const timer = setTimeout(giveUp, this.#maxWaitMs);
      line.add(enter);
      this.#lines.set(caller, line);
    });
  }

  /** Passes the place on to the next turn, so that nobody can slip in between; the caller's next turn is the last. */
  #leave(): void {
    const [turn] = this.#lines;
    if (turn === undefined) {
      this.#free += 1;
      return;
    }
    const [caller, line] = turn;
    const [enter] = line;
    this.#lines.delete(caller);
    if (enter) line.delete(enter);
    if (line.size > 0) this.#lines.set(caller, line);
    enter?.();
  }
}
