import { withTimeLimit } from '@x/store/engine';

/** The calls in progress on a driver, so that its close can wait for them. */
export class InFlightCalls {
  readonly #calls = new Set<Promise<unknown>>();
  #isOver = false;

  /** @throws TypeError after {@link InFlightCalls.drain} */
  async run<T>(call: () => T | Promise<T>): Promise<T> {
    if (this.#isOver) throw new TypeError('The stores are closed: close them after everything that uses them.');
    const running = call();
    if (!(running instanceof Promise)) return running;
    this.#calls.add(running);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  /** Refuses further calls, and waits for those in progress, but no longer than `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isOver = true;
    await withTimeLimit(limitMs, () => Promise.allSettled(this.#calls)).catch(() => undefined);
  }
}
