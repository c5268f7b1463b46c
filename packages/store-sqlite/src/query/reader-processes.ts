import { availableParallelism } from 'node:os';
import { type QueryResult, TakingTurns } from '@x/store-sql';
import type { ReaderQuery } from '../reader-program.ts';
import { ReaderProcess, type ReaderProcessOptions } from './reader-process.ts';

/** How many processes run at a time: what is left of the cores, and memory for no more than two. */
const defaultPlaces = Math.max(1, Math.min(2, availableParallelism() - 1));

/** Which database to read, and the limits, which tests change. */
export interface ReaderProcessesOptions extends Pick<ReaderProcessOptions, 'path' | 'pragmas' | 'statementMs'> {
  readonly places?: number;
  /** How long a query may wait for its turn, in milliseconds. Default: 2000. */
  readonly maxWaitMs?: number;
  /** How long a process that nobody needs is kept, in milliseconds. Default: 10 000. */
  readonly idleMs?: number;
}

/**
 * Runs queries in other processes, which are killed with a query that takes too long. They are started when needed, and
 * ended when they were not needed for a while. Callers take turns, and none has all of several processes.
 */
export class ReaderProcesses {
  readonly #options: ReaderProcessesOptions;
  readonly #turns: TakingTurns;
  readonly #idleMs: number;
  /** Those that have not ended, and of these, those that run nothing with the timers that will end them. */
  readonly #started = new Set<ReaderProcess>();
  readonly #idle = new Map<ReaderProcess, NodeJS.Timeout>();

  constructor(options: ReaderProcessesOptions) {
    const { places = defaultPlaces, maxWaitMs, idleMs = 10_000 } = options;
    this.#options = options;
    const placesEach = Math.max(1, places - 1);
    this.#turns = new TakingTurns({ places, placesEach, ...(maxWaitMs !== undefined && { maxWaitMs }) });
    this.#idleMs = idleMs;
  }

  /**
   * Runs a query when it is the caller's turn.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it runs for too long, `SERVICE_UNAVAILABLE` if it waits for too long, or
   * the process does not start, or dies
   */
  async run(caller: string | null, query: ReaderQuery): Promise<QueryResult> {
    return await this.#turns.run(caller, () => this.#runNow(query));
  }

  /** Ends the processes. None may be running a query. */
  async close(): Promise<void> {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all([...this.#started].map((process) => process.end()));
  }

  async #runNow(query: ReaderQuery): Promise<QueryResult> {
    const process = this.#takeIdle() ?? this.#start();
    try {
      return await process.run(query);
    } finally {
      if (process.isAlive) this.#keep(process);
    }
  }

  #start(): ReaderProcess {
    const process: ReaderProcess = new ReaderProcess({ ...this.#options, onEnd: () => this.#forget(process) });
    this.#started.add(process);
    return process;
  }

  /** Takes the one that was used last, so that those too many stay idle. */
  #takeIdle(): ReaderProcess | undefined {
    const process = [...this.#idle.keys()].at(-1);
    if (process) {
      clearTimeout(this.#idle.get(process));
      this.#idle.delete(process);
    }
    return process;
  }

  #keep(process: ReaderProcess): void {
    const timer = setTimeout(() => {
      this.#idle.delete(process);
      void process.end();
    }, this.#idleMs);
    this.#idle.set(process, timer.unref());
  }

  #forget(process: ReaderProcess): void {
    clearTimeout(this.#idle.get(process));
    this.#idle.delete(process);
    this.#started.delete(process);
  }
}
