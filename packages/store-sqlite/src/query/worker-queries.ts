import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isQueryTooExpensive, queryTooExpensive, storeUnavailable } from '@x/store';
import { FairQueue, tableMissing } from '@x/store/engine';
import { type QueryOptions, type QueryResult, type SqlValues, toValues } from '@x/store-sql';
import { Piscina } from 'piscina';
import type { SqliteConnection } from '../connection.ts';
import type { WorkerAnswer, WorkerFailure, WorkerQuery } from '../query-worker.ts';
import { maxStatementMs } from '../row-guard.ts';

/** How many threads run queries: one less than there are cores, and at most two because of their memory. */
const defaultThreads = Math.max(1, Math.min(2, availableParallelism() - 1));

/** How long a query may run on the event loop before it is moved to a thread, in milliseconds. */
const sliceMs = 5;

/** How many queries may wait for a thread. Their requests hold memory meanwhile. */
const maxWaiting = 64;

/** How long a query may run on the event loop where no thread can be started, in milliseconds. */
const maxLoopMs = 100;

/** Which database file to read, and the limits, which tests change. */
export interface WorkerQueriesOptions {
  readonly path: string;
  /** The connection of the event loop. */
  readonly reader: SqliteConnection;
  readonly warn: (message: string) => void;
  /** How long a query may wait for a thread, in milliseconds. */
  readonly maxWaitMs: number;
  readonly threads?: number;
  /** How long a query may run, in milliseconds. Default: 2000. */
  readonly statementMs?: number;
  /** How long an idle thread is kept, in milliseconds. Default: 10 000. */
  readonly idleMs?: number;
}

type Threads = Piscina<WorkerQuery, WorkerAnswer>;

/**
 * Runs the queries of a database file. Each query starts on the event loop, where most end within a few milliseconds. A
 * longer one starts again in a thread with a connection of its own. A fair queue serves the callers there, and no
 * caller has all of several threads.
 */
export class WorkerQueries {
  readonly #options: WorkerQueriesOptions;
  readonly #queue: FairQueue;
  /** Undefined until the first query needs a thread; null where none can be started. */
  #threads: Threads | null | undefined;
  #hasAnswered = false;

  constructor(options: WorkerQueriesOptions) {
    const { maxWaitMs, threads = defaultThreads } = options;
    this.#options = options;
    this.#queue = new FairQueue({
      concurrency: threads,
      concurrencyPerKey: Math.max(1, threads - 1),
      maxWaiting,
      maxWaitMs,
    });
  }

  /**
   * Runs a query.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it runs for too long, `SERVICE_UNAVAILABLE` if it waits for too long,
   * or its thread ends
   */
  async run(text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> {
    const { path, reader, statementMs: limitMs = maxStatementMs } = this.#options;
    const { caller } = options;
    // Each burst of searches of one user costs the event loop one slice. The app's own searches may cost more.
    const isBurst = typeof caller === 'string' && this.#queue.countOf(caller) > 0;
    const result = isBurst ? null : tryQuery(() => reader.query(text, values, options, sliceMs));
    if (result !== null) return result;
    return await this.#queue.run(caller ?? '', async () => {
      const query = { path, text, values: toValues(values), options, limitMs };
      const answer = await this.#ask(query);
      if (answer === null) return reader.query(text, query.values, options, maxLoopMs);
      if ('failure' in answer) throw toError(answer.failure);
      return answer;
    });
  }

  async close(): Promise<void> {
    await this.#threads?.destroy();
  }

  /** Asks a thread; null where none can be started. */
  async #ask(query: WorkerQuery): Promise<WorkerAnswer | null> {
    if (this.#threads === null) return null;
    try {
      this.#threads ??= openThreads(this.#options);
      const answer = await this.#threads.run(query);
      this.#hasAnswered = true;
      return answer;
    } catch (cause) {
      if (this.#hasAnswered) throw storeUnavailable(cause);
      this.#threads = null;
      this.#options.warn(`Long queries block the event loop, because no thread can be started: ${String(cause)}`);
      return null;
    }
  }
}

/** Runs a query; null if it takes too long. */
function tryQuery(query: () => QueryResult): QueryResult | null {
  try {
    return query();
  } catch (error) {
    if (!isQueryTooExpensive(error)) throw error;
    return null;
  }
}

/** Opens a pool that starts threads when they are needed. */
function openThreads({ threads = defaultThreads, idleMs = 10_000 }: WorkerQueriesOptions): Threads {
  const pool: Threads = new Piscina({
    filename: fileURLToPath(import.meta.resolve('@x/store-sqlite/query-worker')),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    recordTiming: false,
    // A thread holds one page at a time; with more room it would only keep its garbage for longer.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  // A thread that fails as it starts leaves its query to other threads. Without any, the query would wait forever.
  pool.on('error', () => {
    if (pool.threads.length === 0) void pool.destroy();
  });
  return pool;
}

/** The errors of the store contracts, by the kind that a thread reports. */
const contractErrors: Readonly<Record<string, (cause: Error) => Error>> = {
  QUERY_TOO_EXPENSIVE: queryTooExpensive,
  SERVICE_UNAVAILABLE: storeUnavailable,
  MigrationError: tableMissing,
};

function toError({ kind, message }: WorkerFailure): Error {
  const cause = new Error(message);
  return contractErrors[kind]?.(cause) ?? cause;
}
