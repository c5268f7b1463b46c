import { tooBusy } from '@x/errors';
import { defaultPatience } from '@x/store/engine';

/** The user on whose behalf a query runs; null for the app itself. */
export type Caller = string | null;

/** What is shared, and how long one may wait for it. */
export interface TakingTurnsOptions {
  /** How many jobs may run at the same time, 1 or more. */
  readonly places: number;
  /** How many jobs of one caller, 1 or more. Default: as many as all. */
  readonly placesEach?: number;
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
  /** How many jobs of each caller are running, if any. */
  readonly #running = new Map<Caller, number>();
  readonly #placesEach: number;
  readonly #maxWaitMs: number;
  #free: number;

  constructor(options: TakingTurnsOptions) {
    this.#free = options.places;
    this.#placesEach = options.placesEach ?? options.places;
    this.#maxWaitMs = options.maxWaitMs ?? defaultPatience.waitMs;
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
      this.#leave(caller);
    }
  }

  #enter(caller: Caller): Promise<void> {
    if (this.#free === 0 || !this.#mayRun(caller)) return this.#wait(caller);
    this.#start(caller);
    return Promise.resolve();
  }

  #mayRun(caller: Caller): boolean {
    return (this.#running.get(caller) ?? 0) < this.#placesEach;
  }

  #start(caller: Caller): void {
    this.#free -= 1;
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
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
        reject(tooBusy());
      };
      const timer = setTimeout(giveUp, this.#maxWaitMs);
      line.add(enter);
      this.#lines.set(caller, line);
    });
  }

  /** Passes the place on to the next turn, so that nobody can slip in between; the caller's next turn is the last. */
  #leave(left: Caller): void {
    this.#free += 1;
    const rest = (this.#running.get(left) ?? 1) - 1;
    if (rest === 0) this.#running.delete(left);
    else this.#running.set(left, rest);
    for (const [caller, line] of this.#lines) {
      if (!this.#mayRun(caller)) continue;
      const [enter] = line;
      this.#lines.delete(caller);
      if (enter) line.delete(enter);
      if (line.size > 0) this.#lines.set(caller, line);
      this.#start(caller);
      return enter?.();
    }
  }
}
