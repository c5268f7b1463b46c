import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { queryTooExpensive, storeUnavailable } from '@x/store';
import type { QueryResult } from '@x/store-sql';
import Database from 'better-sqlite3';
import { toStoreError } from '../errors.ts';
import type { ReaderAnswer, ReaderQuery } from '../reader-program.ts';
import { maxStatementMs } from '../row-guard.ts';
import { readRunDelayMs, timeLeft } from './run-delay.ts';

/** How long a process may take to start, in milliseconds; usually about 150. */
const maxStartMs = 10_000;

/** Which database a process reads, and how. */
export interface ReaderProcessOptions {
  /** The absolute path of the file. */
  readonly path: string;
  readonly pragmas: readonly string[];
  /** How long a statement may run, in milliseconds, without the time in which it has no core. Default: 2000. */
  readonly statementMs?: number;
  /** Is called when the process has ended, in whatever way. */
  readonly onEnd: () => void;
}

/** A process that runs one query at a time, and is killed with one that takes too long. It keeps no app alive. */
export class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #statementMs: number;
  readonly #ended = Promise.withResolvers<void>();
  #isAlive = true;
  #hasEnded = false;
  #isReady = false;
  /** Who waits for the next message. */
  #waiting: PromiseWithResolvers<ReaderAnswer> | null = null;

  /**
   * @throws CodedError `SERVICE_UNAVAILABLE` if this process must not start others
   */
  constructor({ path, pragmas, statementMs = maxStatementMs, onEnd }: ReaderProcessOptions) {
    this.#statementMs = statementMs;
    void this.#ended.promise.then(onEnd);
    this.#child = startProgram([path, ...pragmas]);
    this.#child.on('message', (answer: ReaderAnswer) => this.#waiting?.resolve(answer));
    this.#child.on('error', (cause) => this.#fail(cause));
    this.#child.on('exit', (code, signal) => this.#fail(new Error(`A reader process has ended: ${signal ?? code}.`)));
  }

  /** Whether it can run another query. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /**
   * Runs a query; only one at a time.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it runs for too long, `SERVICE_UNAVAILABLE` if the process does not start,
   * or dies
   */
  async run(query: ReaderQuery): Promise<QueryResult> {
    this.#keepAppAlive(true);
    try {
      if (!this.#isReady) await this.#next(maxStartMs, storeUnavailable);
      this.#isReady = true;
      this.#child.send(query);
      return toResult(await this.#next(this.#statementMs, queryTooExpensive));
    } finally {
      this.#keepAppAlive(false);
    }
  }

  /** Kills the process, and waits for its end, for which the app is kept alive. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#keepAppAlive(true);
    this.#kill();
    await this.#ended.promise;
  }

  /** Waits for the next message. If it does not come in time, as {@link timeLeft} counts it, the process is killed. */
  async #next(limitMs: number, toError: () => Error): Promise<ReaderAnswer> {
    const waiting = Promise.withResolvers<ReaderAnswer>();
    this.#waiting = waiting;
    const { pid = 0 } = this.#child;
    const [startedAt, delayedBeforeMs] = [performance.now(), readRunDelayMs(pid)];
    const extendOrEnd = (): void => {
      const tookMs = performance.now() - startedAt;
      const delayedMs = readRunDelayMs(pid) - delayedBeforeMs;
      const leftMs = timeLeft(limitMs, { tookMs, delayedMs });
      if (leftMs > 0) {
        timer = setTimeout(extendOrEnd, Math.ceil(leftMs));
      } else {
        this.#kill();
        waiting.reject(toError());
      }
    };
    let timer = setTimeout(extendOrEnd, limitMs);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** It may be busy with a statement, so that it would notice nothing but this. */
  #kill(): void {
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
  }

  #fail(cause: Error): void {
    this.#isAlive = false;
    this.#waiting?.reject(storeUnavailable(cause));
    this.#hasEnded = true;
    this.#ended.resolve();
  }

  #keepAppAlive(isNeeded: boolean): void {
    const handles = [this.#child, this.#child.channel];
    for (const handle of handles) {
      if (isNeeded) handle?.ref();
      else handle?.unref();
    }
  }
}

/** The program gets none of the options that this process was started with, such as those of a debugger. */
function startProgram(args: readonly string[]): ChildProcess {
  try {
    return fork(fileURLToPath(import.meta.resolve('@x/store-sqlite/reader-program')), args, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  } catch (cause) {
    throw storeUnavailable(new Error('A reader process cannot be started.', { cause }));
  }
}

function toResult(answer: ReaderAnswer): QueryResult {
  if (!('message' in answer)) return answer;
  const { message, code } = answer;
  throw toStoreError(code === undefined ? new Error(message) : new Database.SqliteError(message, code));
}
