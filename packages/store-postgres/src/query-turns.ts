import { type QueryOptions, RecentCallers, TakingTurns } from '@x/store-sql';
import { callMs } from './timeouts.ts';

/** A query of a caller that took longer than this, in milliseconds, is one that others should not wait for. */
const expensiveMs = 1000;

/** How long a caller is remembered for a query that was expensive, and for one that was not, in milliseconds. */
const [expensiveForMs, quickForMs] = [30_000, 600_000];

/**
 * Shares half of the connections between queries; other statements need never wait for these. Callers take turns, and
 * none has more than half of that half. What a caller's last scan took decides how many connections there are for the
 * next: of five, one for all whose scan was expensive a short time ago, one for those who are not known, and four for those
 * whose last scan was quick. The fifth is for queries that an index answers.
 */
export class QueryTurns {
  readonly #all: TakingTurns;
  /** For queries that may visit any number of rows. */
  readonly #scans: TakingTurns;
  readonly #unknown: TakingTurns;
  readonly #expensive: TakingTurns;
  readonly #quickCallers = new RecentCallers({ rememberedMs: quickForMs, maxCallers: 10_000 });
  readonly #expensiveCallers = new RecentCallers({ rememberedMs: expensiveForMs });

  /**
   * @param connections - how many the pool has
   */
  constructor(connections: number) {
    const places = Math.max(1, Math.floor(connections / 2));
    const placesEach = Math.max(1, Math.floor(places / 2));
    this.#all = new TakingTurns({ places, placesEach, maxWaitMs: callMs });
    this.#scans = new TakingTurns({ places: Math.max(1, places - 1), placesEach, maxWaitMs: callMs });
    const few = Math.max(1, Math.floor(places / 4));
    this.#unknown = new TakingTurns({ places: few, maxWaitMs: callMs });
    this.#expensive = new TakingTurns({ places: few, maxWaitMs: callMs });
  }

  /**
   * Runs a query when it is the caller's turn.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if it has waited for too long; it does not run then
   */
  run<T>({ caller = null, comparisons }: Omit<QueryOptions, 'maxCharacters'>, query: () => Promise<T>): Promise<T> {
    const inAll = (): Promise<T> => this.#all.run(caller, query);
    const inScans = (): Promise<T> => this.#scans.run(caller, inAll);
    if (comparisons !== null) return inAll();
    if (this.#expensiveCallers.has(caller)) return this.#expensive.run(caller, inScans);
    return this.#quickCallers.has(caller) ? inScans() : this.#unknown.run(caller, inScans);
  }

  /** Records how long a query of a caller took on the server. */
  record({ caller = null, comparisons }: Pick<QueryOptions, 'caller' | 'comparisons'>, tookMs: number): void {
    if (comparisons !== null) return;
    if (tookMs <= expensiveMs) {
      this.#quickCallers.add(caller);
    } else {
      this.#quickCallers.delete(caller);
      this.#expensiveCallers.add(caller);
    }
  }
}
