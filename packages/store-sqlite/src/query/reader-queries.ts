import { type QueryOptions, type QueryResult, RecentCallers, type SqlValues } from '@x/store-sql';
import type { SqliteConnection } from '../connection.ts';
import { LoopShare } from './loop-share.ts';
import type { ReaderProcesses } from './reader-processes.ts';

/** How long a query may visit rows on the event loop before it is handed over, in milliseconds. */
const defaultSliceMs = 5;

/** Where queries run. */
export interface ReaderQueriesOptions {
  /** The connection of the event loop. */
  readonly reader: SqliteConnection;
  readonly processes: ReaderProcesses;
  /** Tests change it. */
  readonly sliceMs?: number;
}

/**
 * Runs the queries of a database file.
 *
 * A query that visits only the rows that it returns runs on the event loop, and so does the beginning of any other:
 * most end within it. One that does not begins again in a reader process, without the guard. Its caller is remembered
 * for a while, whose further queries begin there, so that a burst of searches costs the event loop only one slice.
 */
export class ReaderQueries {
  readonly #reader: SqliteConnection;
  readonly #processes: ReaderProcesses;
  readonly #sliceMs: number;
  readonly #handedOver = new RecentCallers();
  readonly #share = new LoopShare();
  /** What queries in progress wait for. */
  readonly #waiting = new Set<Promise<unknown>>();

  constructor({ reader, processes, sliceMs = defaultSliceMs }: ReaderQueriesOptions) {
    this.#reader = reader;
    this.#processes = processes;
    this.#sliceMs = sliceMs;
  }

  /**
   * Runs a query.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it runs for too long, `SERVICE_UNAVAILABLE` if it waits for too long
   */
  async run(text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> {
    const caller = options.caller ?? null;
    if (this.#share.isSpent && !this.#reader.isCheap(text, options)) {
      await this.#whileOpen(this.#share.wait(caller));
    }
    if (!this.#handedOver.has(caller) || this.#reader.isCheap(text, options)) {
      const result = this.#reader.tryQuery(text, values, options, this.#sliceMs);
      this.#share.take(this.#reader.elapsedMs);
      if (result !== null) return result;
      // Whoever signs in may need a query of the app itself: those of callers must not make it wait.
      if (caller !== null) this.#handedOver.add(caller);
    }
    const statement = this.#reader.toPlainStatement(text, values, options);
    const { maxCharacters, uncounted } = options;
    return await this.#whileOpen(this.#processes.run(caller, { ...statement, maxCharacters, uncounted }));
  }

  /** Waits for queries in progress, and ends the processes. */
  async close(): Promise<void> {
    // Who has waited for a turn may go on in a process.
    while (this.#waiting.size > 0) await Promise.allSettled(this.#waiting);
    await this.#processes.close();
  }

  /** Waits for something that {@link close} waits for, too. */
  async #whileOpen<T>(promise: Promise<T>): Promise<T> {
    this.#waiting.add(promise);
    try {
      return await promise;
    } finally {
      this.#waiting.delete(promise);
    }
  }
}
