import { FairQueue } from '@x/store/engine';

/** How many milliseconds of one event loop iteration the requests that arrive in it may use. */
const budgetMs = 5;

/** How many iterations are left to new connections between two requests that waited. */
const maxYields = 32;

/**
 * Shares out the event loop of a listener once the requests of one iteration exceed their budget. The others wait in a
 * fair queue, and one of them starts per iteration.
 *
 * The system hands over one connection per iteration of the loop. Without a budget, a client that connected while
 * others sent hundreds of requests at once waited as many long iterations as there were connections: a polite client's
 * 95th percentile was 2 800 ms beside the hostile clients of the tests, and is 100 ms (SQLite).
 */
export class EventLoopBudget {
  readonly #queue: FairQueue;
  /**
   * When the budget of this iteration ends, in milliseconds of `performance.now()`; Infinity before its first request.
   */
  #endsAt = Infinity;
  #connections = 0;

  constructor(maxWaiting: number) {
    this.#queue = new FairQueue({ concurrency: 1, maxWaiting });
  }

  /** How many requests wait for an iteration. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Whether requests have to wait for an iteration. */
  get isExceeded(): boolean {
    return this.#queue.waiting > 0 || performance.now() > this.#endsAt;
  }

  /** Notes that a client has connected. */
  noteConnection(): void {
    this.#connections += 1;
  }

  /** Notes that a request has arrived. */
  noteRequest(): void {
    if (this.#endsAt !== Infinity) return;
    this.#endsAt = performance.now() + budgetMs;
    setImmediate(() => (this.#endsAt = Infinity));
  }

  /**
   * Waits for an iteration in which a request of this client may start.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait
   */
  wait(client: string, options: { readonly signal?: AbortSignal }): Promise<void> {
    return this.#queue.run(client, () => this.#yieldToConnections(), options);
  }

  async #yieldToConnections(): Promise<void> {
    for (let yields = 0; yields < maxYields; yields += 1) {
      const before = this.#connections;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#connections === before) return;
    }
  }
}
