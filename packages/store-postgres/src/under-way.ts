/** The calls in progress, so that a close can wait for them. */
export class UnderWay {
  readonly #calls = new Set<Promise<unknown>>();
  #isOver = false;

  /** @throws TypeError after {@link UnderWay.end} */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new TypeError('The stores are closed.');
    const call = work();
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Admits no further calls, and waits for those in progress, but no longer than `limitMs`. */
  async end(limitMs: number): Promise<void> {
    this.#isOver = true;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, limitMs);
    await Promise.race([Promise.allSettled(this.#calls), over.promise]);
    clearTimeout(timer);
  }
}
