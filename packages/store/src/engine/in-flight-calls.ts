import type { Awaitable } from '@x/errors';
import { withTimeLimit } from './time-limits.ts';

/** Counts the calls in progress on a database, so that its close can wait for them. */
export class InFlightCalls {
  #count = 0;
  #isOver = false;
  readonly #drained = Promise.withResolvers<void>();

  /** @throws TypeError after {@link InFlightCalls.drain} */
  async run<T>(call: () => Awaitable<T>): Promise<T> {
    if (this.#isOver) throw new TypeError('The stores are closed: close them after everything that uses them.');
    const running = call();
    if (!(running instanceof Promise)) return running;
    this.#count += 1;
    try {
      return await running;
    } finally {
      this.#count -= 1;
      this.#endIfDrained();
    }
  }

  /** Refuses further calls, and waits for those in progress, but no longer than `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isOver = true;
    this.#endIfDrained();
    await withTimeLimit(limitMs, () => this.#drained.promise).catch(() => undefined);
  }

  #endIfDrained(): void {
    if (this.#isOver && this.#count === 0) this.#drained.resolve();
  }
}
