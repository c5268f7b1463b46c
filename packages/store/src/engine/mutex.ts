import type { Awaitable } from '@x/errors';
import { storeUnavailable } from '../errors.ts';
import { defaultPatience } from './time-limits.ts';

/** Runs one job at a time, in the order they arrive. */
export class Mutex {
  readonly #waitMs: number;
  #locked = false;
  /** The callbacks of waiting jobs, in the order in which they will run. */
  readonly #waiting: (() => void)[] = [];

  /**
   * @param waitMs - how long a job may wait unless it says otherwise; 2000 by default
   */
  constructor(waitMs: number = defaultPatience.waitMs) {
    this.#waitMs = waitMs;
  }

  /** Whether a job is running, so that another one would have to wait. */
  get isLocked(): boolean {
    return this.#locked;
  }

  /**
   * Runs a job when those before it have ended.
   *
   * @param limitMs - how long the job may wait before it is refused with `SERVICE_UNAVAILABLE` without running;
   * `Infinity` for no limit
   */
  async run<T>(job: () => Awaitable<T>, limitMs: number = this.#waitMs): Promise<T> {
    await this.#lock(limitMs);
    try {
      return await job();
    } finally {
      this.#unlock();
    }
  }

  #lock(limitMs: number): Promise<void> {
    if (this.#locked) return this.#wait(limitMs);
    this.#locked = true;
    return Promise.resolve();
  }

  #wait(limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(storeUnavailable());
      };
      const timer = limitMs === Infinity ? undefined : setTimeout(leave, limitMs);
      this.#waiting.push(enter);
    });
  }

  /** Hands the lock to the next job without releasing it, so that no other job can take it. */
  #unlock(): void {
    const next = this.#waiting.shift();
    this.#locked = next !== undefined;
    next?.();
  }
}
