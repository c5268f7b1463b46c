import { storeUnavailable } from './errors.ts';

/** How long a writer waits for others, in milliseconds, before it is refused. */
export const maxWaitMs = 2000;

/** Lets one job run at a time, in the order they came. */
export class Turns {
  #taken = false;
  /** What each waiting job is told when its turn comes, the first in line first. */
  readonly #waiting = new Set<() => void>();

  /** Whether a job is running, so that another one would have to wait. */
  get isTaken(): boolean {
    return this.#taken;
  }

  /**
   * Runs a job when its turn comes, and gives the turn to the next when it has ended.
   *
   * @param limitMs - how long the job may wait, then it is refused with `SERVICE_UNAVAILABLE` and not run; 2 s by
   * default, `Infinity` for as long as it takes
   */
  async run<T>(job: () => T | Promise<T>, limitMs: number = maxWaitMs): Promise<T> {
    await this.#take(limitMs);
    try {
      return await job();
    } finally {
      this.#pass();
    }
  }

  #take(limitMs: number): Promise<void> {
    if (this.#taken) return this.#wait(limitMs);
    this.#taken = true;
    return Promise.resolve();
  }

  #wait(limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(storeUnavailable());
      };
      const timer = limitMs === Infinity ? undefined : setTimeout(leave, limitMs);
      this.#waiting.add(enter);
    });
  }

  /** Hands the turn to the next in line without letting go of it, so that nobody slips in between. */
  #pass(): void {
    const [next] = this.#waiting;
    this.#taken = next !== undefined;
    if (!next) return;
    this.#waiting.delete(next);
    next();
  }
}
