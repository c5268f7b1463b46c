import { storeUnavailable } from '@x/store';

const longestWaitMilliseconds = 2000;

/** Lets one writer in at a time; the others wait in order of arrival, 2 s at most. */
export class WriteLock {
  #isHeld = false;
  readonly #waiting = new Set<() => void>();

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Runs `work` alone.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` where its turn does not come in time; `work` is not run then
   */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isHeld) await this.#turn();
    this.#isHeld = true;
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  async #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(enter);
        reject(storeUnavailable());
      };
      const timer = setTimeout(giveUp, longestWaitMilliseconds);
      this.#waiting.add(enter);
    });
  }

  /** Hands the lock to the next in line without letting go of it, so that nobody slips in between. */
  #passOn(): void {
    const [enter] = this.#waiting;
    this.#isHeld = enter !== undefined;
    if (!enter) return;
    this.#waiting.delete(enter);
    enter();
  }
}
