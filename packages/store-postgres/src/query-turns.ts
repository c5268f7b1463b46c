import { CodedError } from '@x/errors';
import { type QueryOptions, RecentCallers, TakingTurns } from '@x/store-sql';
import { firstTryMs, queryMs } from './timeouts.ts';

/** Runs a query with a limit for the time that the server may work on it, in milliseconds. */
type RunWithin<T> = (serverMs: number) => Promise<T>;

/**
 * Shares half of the connections between queries; other statements need never wait for these. Callers take turns, and
 * none has more than half of that half. One connection is left for queries that an index answers.
 *
 * Any other query is tried for a short time. One that needs longer begins again, with the whole limit, where one
 * connection of five is for all of its kind. Its caller is remembered for a while after each that took long, and begins
 * further queries there: also those that have waited for their try meanwhile.
 */
export class QueryTurns {
  readonly #all: TakingTurns;
  /** For queries that may visit any number of rows. */
  readonly #scans: TakingTurns;
  /** For those that have turned out to take long, or whose callers had such a query a short time ago. */
  readonly #expensive: TakingTurns;
  readonly #expensiveCallers = new RecentCallers();

  /**
   * @param connections - how many the pool has
   * @param maxWaitMs - how long a query may wait for its turn
   */
  constructor(connections: number, maxWaitMs: number) {
    const places = Math.max(1, Math.floor(connections / 2));
    const placesEach = Math.max(1, Math.floor(places / 2));
    this.#all = new TakingTurns({ places, placesEach, maxWaitMs });
    this.#scans = new TakingTurns({ places: Math.max(1, places - 1), placesEach, maxWaitMs });
    this.#expensive = new TakingTurns({ places: Math.max(1, Math.floor(places / 4)), maxWaitMs });
  }

  /**
   * Runs a query when it is the caller's turn.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it takes longer than a query may; `SERVICE_UNAVAILABLE` if it has waited
   * for too long, and then does not run
   */
  async run<T>({ caller = null, comparisons }: QueryOptions, query: RunWithin<T>): Promise<T> {
    if (comparisons !== null) return this.#all.run(caller, () => query(queryMs));
    const scan = <R>(run: () => Promise<R>): Promise<R> => this.#scans.run(caller, () => this.#all.run(caller, run));
    const isRemembered = (): boolean => this.#expensiveCallers.has(caller);
    if (!isRemembered()) {
      const tried = await scan(async () => (isRemembered() ? null : this.#try(caller, query)));
      if (tried !== null) return tried.result;
    }
    return this.#expensive.run(caller, () => scan(() => this.#measure(caller, () => query(queryMs))));
  }

  /** Tries a query for a short time; null if it needs longer, for which its caller is remembered. */
  async #try<T>(caller: string | null, query: RunWithin<T>): Promise<{ readonly result: T } | null> {
    try {
      return { result: await query(firstTryMs) };
    } catch (error) {
      if (!isTooExpensive(error)) throw error;
      this.#remember(caller);
      return null;
    }
  }

  /** Runs a query of a remembered caller, who stays remembered if it takes long again. */
  async #measure<T>(caller: string | null, query: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await query();
    } finally {
      if (performance.now() - startedAt > firstTryMs) this.#remember(caller);
    }
  }

  /** Not the app itself: whoever signs in may need a query of it, and those of callers must not make it wait. */
  #remember(caller: string | null): void {
    if (caller !== null) this.#expensiveCallers.add(caller);
  }
}

function isTooExpensive(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'QUERY_TOO_EXPENSIVE';
}
