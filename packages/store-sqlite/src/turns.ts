import { storeUnavailable } from '@x/store';

/** Lets one job run at a time, in the order they came. */
export class Turns {
  #taken = false;
  /** What each waiting job is told when its turn comes, the first in line first. */
  readonly #waiting = new Set<() => void>();

  /**
   * Runs a job when its turn comes, and gives the turn to the next when it has ended.
   *
   * @param limitMs - how long the job may wait, then it is refused with `SERVICE_UNAVAILABLE`; none by default
   */
  async run<T>(job: () => T | Promise<T>, limitMs?: number): Promise<T> {
    await this.#take(limitMs);
    try {
      return await job();
    } finally {
      this.#pass();
    }
  }

  #take(limitMs: number | undefined): Promise<void> {
    if (this.#taken) return this.#wait(limitMs);
    this.#taken = true;
    return Promise.resolve();
  }

  #wait(limitMs: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(storeUnavailable());
      };
      const timer = limitMs === undefined ? undefined : setTimeout(leave, limitMs);
      this.#waiting.add(enter);
    });
  }

  #pass(): void {
    const [next] = this.#waiting;
    this.#taken = next !== undefined;
    if (!next) return;
    this.#waiting.delete(next);
    next();
  }
}
