import { FairQueue } from '@x/store/engine';

/** For how many milliseconds requests are begun as they come, in one turn of the event loop. */
const turnMs = 5;

/** How many turns are left to those who connect, between two requests that waited. */
const maxRests = 32;

/**
 * Shares out the event loop of a listener when the requests of one turn take too long: the others are begun in later
 * turns, one in each, those of each client in turn.
 *
 * The system hands over one connection for each turn of the loop. Without this, whoever connected while others sent
 * hundreds of requests at once waited as many long turns as there were connections: a polite client's 95th percentile was
 * 2 800 ms beside the hostile clients of the tests, and is 100 ms (SQLite).
 */
export class LoopTurns {
  readonly #line: FairQueue;
  /** When this turn has taken long enough, in milliseconds of `performance.now()`; Infinity before its first request. */
  #endsAt = Infinity;
  #connections = 0;

  constructor(maxWaiting: number) {
    this.#line = new FairQueue({ places: 1, maxWaiting });
  }

  /** How many requests wait for a turn. */
  get waiting(): number {
    return this.#line.waiting;
  }

  /** Says whether requests have to wait for a turn. */
  get areTaken(): boolean {
    return this.#line.waiting > 0 || performance.now() > this.#endsAt;
  }

  /** Tells that a client has connected. */
  noteConnection(): void {
    this.#connections += 1;
  }

  /** Tells that a request has come. */
  noteRequest(): void {
    if (this.#endsAt !== Infinity) return;
    this.#endsAt = performance.now() + turnMs;
    setImmediate(() => (this.#endsAt = Infinity));
  }

  /**
   * Waits for a client's turn.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait
   */
  wait(client: string, options: { readonly signal?: AbortSignal }): Promise<void> {
    return this.#line.run(client, () => this.#untilNobodyConnects(), options);
  }

  async #untilNobodyConnects(): Promise<void> {
    for (let turns = 0; turns < maxRests; turns += 1) {
      const before = this.#connections;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#connections === before) return;
    }
  }
}
