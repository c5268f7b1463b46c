import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises';
import { storeUnavailable } from '@x/store';
import { Mutex, withTimeLimit } from '@x/store/engine';
import type { OpenTransaction, QueryOptions, QueryResult, SqlRow, SqlValues } from '@x/store-sql';
import type { SqliteConnection } from './connection.ts';

/** The longest pause between two attempts to get a lock that another process holds. */
const maxPauseMs = 4;

/** The most steps per commit. */
const maxGroupSize = 128;

/** How long the statements of a transaction may block the event loop before it yields, in milliseconds. */
const maxBlockMs = 10;

type TransactionWork<T> = (transaction: SqliteTransaction) => Promise<T>;

interface WaitingStep {
  /** Runs the step and returns a function that reports the outcome to its caller, to be called after the commit. */
  run: TransactionWork<() => void>;
  refuse(error: unknown): void;
}

/**
 * The one connection of this process that writes.
 *
 * Group commit: a durable commit costs far more than the statements in it. So a step whose turn it is begins a
 * transaction, and takes along all steps that wait behind it, or arrive in the same iteration of the event loop. They
 * run in order. A step that fails rolls only itself back. Callers get their outcomes after the commit. So each step is
 * as atomic and durable as alone, and a failed commit fails all of its steps.
 */
export class Writer {
  readonly #connection: SqliteConnection;
  readonly #waitMs: number;
  readonly #mutex: Mutex;
  readonly #waiting = new Set<WaitingStep>();
  /** The deadline for further transactions, on the clock of `performance`. */
  #endsAt = Infinity;

  /**
   * @param waitMs - how long work may wait for other writers before it is refused
   */
  constructor(connection: SqliteConnection, waitMs: number) {
    this.#connection = connection;
    this.#waitMs = waitMs;
    this.#mutex = new Mutex(waitMs);
  }

  /**
   * Runs a step in a commit that others may share; if it throws, its own changes are rolled back.
   *
   * @param limitMs - how long the work may take before everything that shares its commit is rolled back and throws
   * `SERVICE_UNAVAILABLE`; no limit by default
   */
  step<T>(work: (transaction: SqliteTransaction) => T | Promise<T>, limitMs: number = Infinity): Promise<T> {
    return new Promise((resolve, reject) => {
      const step: WaitingStep = {
        run: async (transaction) => {
          const outcome = (async () => work(transaction))();
          // Only a timeout concerns the other steps: an error of the work is reported to its caller.
          await withTimeLimit(limitMs, () => Promise.allSettled([outcome]));
          return () => resolve(outcome);
        },
        refuse: reject,
      };
      const deadline = performance.now() + this.#waitMs;
      this.#waiting.add(step);
      this.#mutex
        .run(() => this.#commitFrom(step, deadline))
        .catch((error: unknown) => {
          if (this.#waiting.delete(step)) reject(error);
        });
    });
  }

  /**
   * Runs work in a transaction of its own. No other work writes meanwhile.
   *
   * @param limitMs - how long the work may take before the transaction is rolled back and throws `SERVICE_UNAVAILABLE`;
   * no limit by default
   * @param waitMs - how long the work may wait; as long as all work by default
   */
  transaction<T>(work: TransactionWork<T>, limitMs: number = Infinity, waitMs: number = this.#waitMs): Promise<T> {
    const deadline = performance.now() + waitMs;
    return this.#mutex.run(async () => {
      // No other statement here yields to the event loop, so consecutive transactions would starve it.
      await nextIteration();
      await this.#begin(deadline);
      const leftMs = Math.min(limitMs, this.#endsAt - performance.now());
      return await this.#finish((transaction) => withTimeLimit(leftMs, () => work(transaction)), leftMs);
    }, waitMs);
  }

  /** Runs work while no transaction is open. */
  alone<T>(work: () => T): Promise<T> {
    return this.#mutex.run(work);
  }

  /** Waits for all steps and, for at most this long, for transactions. Then closes the connection. */
  async close(limitMs: number): Promise<void> {
    this.#endsAt = performance.now() + limitMs;
    await this.#mutex.run(() => this.#connection.close(), Infinity);
  }

  /** Commits a step together with those that wait behind it, unless an earlier one has taken it along. */
  async #commitFrom(first: WaitingStep, deadline: number): Promise<void> {
    if (!this.#waiting.has(first)) return;
    // Input that has already arrived is read first.
    await nextIteration();
    await this.#begin(deadline);
    const group = [...this.#waiting].slice(0, maxGroupSize);
    for (const step of group) this.#waiting.delete(step);
    try {
      const reports = await this.#finish((transaction) => this.#runGroup(transaction, group));
      for (const report of reports) report();
    } catch (error) {
      for (const step of group) step.refuse(error);
    }
  }

  async #runGroup(transaction: SqliteTransaction, group: readonly WaitingStep[]): Promise<readonly (() => void)[]> {
    const reports: (() => void)[] = [];
    for (const step of group) {
      reports.push(await step.run(transaction));
      transaction.assertOpen();
    }
    return reports;
  }

  /** Commits the writes of `work`, or rolls all of them back. */
  async #finish<T>(work: TransactionWork<T>, limitMs: number = Infinity): Promise<T> {
    const transaction = new SqliteTransaction(this.#connection, limitMs);
    try {
      const result = await work(transaction);
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }

  /**
   * Begins a transaction. Retries without blocking the event loop, which SQLite's own busy handler would do.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if another process, or the app, still writes at the deadline
   */
  async #begin(deadline: number): Promise<void> {
    for (let pauseMs = 1; !this.#connection.tryBegin(); pauseMs = Math.min(pauseMs + 1, maxPauseMs)) {
      if (performance.now() >= deadline) {
        throw storeUnavailable(new Error('Another process writes to the database file.'));
      }
      await pause(pauseMs);
    }
  }
}

/**
 * The open transaction of a connection. Work in a transaction that was rolled back early may still be running: none of
 * its later calls may reach the connection, which would run them in the next transaction or alone.
 */
class SqliteTransaction implements OpenTransaction {
  readonly #connection: SqliteConnection;
  readonly #endsAt: number;
  /** When the transaction last yielded to the event loop. */
  #yieldedAt: number = performance.now();
  #isOver = false;

  /** @param limitMs - after which it can't be committed */
  constructor(connection: SqliteConnection, limitMs: number) {
    this.#connection = connection;
    this.#endsAt = this.#yieldedAt + limitMs;
  }

  /** Also false if SQLite itself has ended the transaction, as it does on some failures. */
  get isOpen(): boolean {
    return !this.#isOver && this.#connection.inTransaction;
  }

  get connection(): unknown {
    return this.#connection.database;
  }

  all(text: string, values: SqlValues): readonly SqlRow[] | Promise<readonly SqlRow[]> {
    return this.#runYielding(() => this.#connection.all(text, values));
  }

  query(text: string, values: SqlValues, options: QueryOptions): QueryResult | Promise<QueryResult> {
    return this.#runYielding(() => this.#connection.query(text, values, options));
  }

  run(text: string, values?: SqlValues): number | Promise<number> {
    return this.#runYielding(() => this.#connection.run(text, values));
  }

  commit(): void {
    this.assertOpen();
    this.#connection.run('COMMIT');
    this.#isOver = true;
  }

  /** Rolls the transaction back, unless it has ended. */
  rollback(): void {
    const { isOpen } = this;
    // Even if the rollback fails, no later call of this transaction may write into the next one.
    this.#isOver = true;
    if (isOpen) this.#connection.rollback();
  }

  /**
   * @throws CodedError `SERVICE_UNAVAILABLE` if the transaction has ended, or its time is over
   */
  assertOpen(): void {
    if (!this.isOpen || performance.now() > this.#endsAt) throw storeUnavailable();
  }

  /** Runs a statement. If the transaction has blocked the event loop for too long, it yields first. */
  #runYielding<T>(statement: () => T): T | Promise<T> {
    this.assertOpen();
    return performance.now() - this.#yieldedAt < maxBlockMs ? statement() : this.#yieldAndRun(statement);
  }

  async #yieldAndRun<T>(statement: () => T): Promise<T> {
    await nextIteration();
    this.#yieldedAt = performance.now();
    this.assertOpen();
    return statement();
  }
}
