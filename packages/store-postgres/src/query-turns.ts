import { type QueryOptions, RecentCallers, TakingTurns } from '@x/store-sql';
import { callMs } from './timeouts.ts';

/** A query of a caller that took longer than this, in milliseconds, is one that others should not wait for. */
const expensiveMs = 100;

/**
 * Shares half of the connections between queries; other statements need never wait for these. Callers take turns, and
 * none has more than half of that half. One connection is left for queries that an index answers, from callers whose
 * queries did so lately.
 */
export class QueryTurns {
  readonly #all: TakingTurns;
  /** For queries that may visit any number of rows. */
  readonly #scans: TakingTurns;
  /** For callers who had an expensive query a short time ago. */
  readonly #expensive: TakingTurns;
  readonly #expensiveCallers = new RecentCallers();

  /**
   * @param connections - how many the pool has
   */
  constructor(connections: number) {
    const places = Math.max(1, Math.floor(connections / 2));
    const placesEach = Math.max(1, Math.floor(places / 2));
    this.#all = new TakingTurns({ places, placesEach, maxWaitMs: callMs });
    this.#scans = new TakingTurns({ places: Math.max(1, places - 1), placesEach, maxWaitMs: callMs });
    this.#expensive = new TakingTurns({ places: placesEach, maxWaitMs: callMs });
  }

  /**
   * Runs a query when it is the caller's turn.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if it has waited for too long; it does not run then
   */
  run<T>({ caller = null, comparisons }: Omit<QueryOptions, 'maxCharacters'>, query: () => Promise<T>): Promise<T> {
    const inAll = (): Promise<T> => this.#all.run(caller, query);
    const inScans = (): Promise<T> => this.#scans.run(caller, inAll);
    if (this.#expensiveCallers.has(caller)) return this.#expensive.run(caller, inScans);
    return comparisons === null ? inScans() : inAll();
  }

  /** Records how long a query of a caller took on the server. */
  record(caller: string | null | undefined, tookMs: number): void {
    if (tookMs > expensiveMs) this.#expensiveCallers.add(caller ?? null);
  }
}
