import { defaultPatience, Mutex } from '@x/store/engine';
import type { AppStatements, QueryOptions, QueryResult, SqlRow, SqlExecutor, SqlValues } from './sql-executor.ts';

/** An open transaction on a connection, as an engine package provides it. */
export interface OpenTransaction {
  /** False once it was committed or rolled back, also by the engine itself; every call throws then. */
  readonly isOpen: boolean;

  /** The connection of the driver that it is on. */
  readonly connection: unknown;

  /** Runs a statement, and returns its rows, if it has any. */
  all(text: string, values: SqlValues): readonly SqlRow[] | Promise<readonly SqlRow[]>;

  /** Runs one statement of the app's own. Default: as any other. */
  runOfApp?(text: string, values: SqlValues): readonly SqlRow[] | Promise<readonly SqlRow[]>;

  /** Runs a statement as `query` of {@link SqlExecutor} does. */
  query(text: string, values: SqlValues, options: QueryOptions): QueryResult | Promise<QueryResult>;

  /** Runs a statement that returns no rows, and says how many it changed. */
  run(text: string, values?: SqlValues): number | Promise<number>;
}

/**
 * Runs `work` on an executor of the open transaction. When `work` ends, later calls of the executor throw `TypeError`,
 * and calls that `work` did not wait for have ended as well.
 *
 * @param waitMs - how long a call may wait for others of the executor; 2000 by default
 */
export async function withTransactionExecutor<T>(
  transaction: OpenTransaction,
  work: (executor: SqlExecutor) => Promise<T>,
  waitMs: number = defaultPatience.waitMs,
): Promise<T> {
  const executor = new TransactionExecutor(transaction, waitMs);
  try {
    const outcome = await work(executor);
    executor.assertSucceeded();
    return outcome;
  } finally {
    await executor.end();
  }
}

/** Calls take turns, so that an inner savepoint contains only its own changes. */
class TransactionExecutor implements SqlExecutor {
  readonly #transaction: OpenTransaction;
  readonly #waitMs: number;
  readonly #mutex: Mutex;
  #hasEnded = false;
  /** Why the transaction can't commit, once it can't. */
  #failure: { readonly error: unknown } | undefined;

  constructor(transaction: OpenTransaction, waitMs: number) {
    this.#transaction = transaction;
    this.#waitMs = waitMs;
    this.#mutex = new Mutex(waitMs);
  }

  read(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return this.#run(() => this.#transaction.all(text, values));
  }

  query(text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> {
    return this.#run(() => this.#transaction.query(text, values, options));
  }

  write(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return this.#run(() => this.#transaction.all(text, values));
  }

  attempt(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return this.#run(() => inSavepoint(this.#transaction, async () => this.#transaction.all(text, values)));
  }

  execute(text: string, values: SqlValues): Promise<number> {
    return this.#run(() => this.#transaction.run(text, values));
  }

  step<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  transaction<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T> {
    const inside = (): Promise<T> => withTransactionExecutor(this.#transaction, work, this.#waitMs);
    return this.#run(() => inSavepoint(this.#transaction, inside));
  }

  get appStatements(): AppStatements {
    this.#assertOpen();
    const transaction = this.#transaction;
    const runOne: SqlExecutor['write'] = (text, values) =>
      this.#run(() => (transaction.runOfApp ? transaction.runOfApp(text, values) : transaction.all(text, values)));
    return {
      // It is only asked for if the app wants it.
      get connection() {
        return transaction.connection;
      },
      run: (work) => this.#runAppStatements(() => work(runOne)),
    };
  }

  /** Throws the error of a statement of the app's own, if one has failed. */
  assertSucceeded(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#mutex.run(() => undefined, Infinity);
  }

  /** Engines differ in whether a transaction may continue after a failure. */
  async #runAppStatements<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  async #run<T>(job: () => T | Promise<T>): Promise<T> {
    this.#assertOpen();
    return await this.#mutex.run(job);
  }

  #assertOpen(): void {
    if (this.#hasEnded) throw new TypeError('The transaction of these stores has ended: await all work inside of it.');
  }
}

/**
 * Runs `work` in a savepoint of the transaction: if it throws, its own changes are rolled back and the error is
 * rethrown. One name serves every depth, because the innermost savepoint of that name is used.
 */
export async function inSavepoint<T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> {
  await transaction.run('SAVEPOINT step');
  try {
    const result = await work();
    await transaction.run('RELEASE SAVEPOINT step');
    return result;
  } catch (error) {
    await undo(transaction);
    throw error;
  }
}

/** After a full disk, a failed read or a lost connection, the whole transaction has already been rolled back. */
async function undo(transaction: OpenTransaction): Promise<void> {
  if (!transaction.isOpen) return;
  await transaction.run('ROLLBACK TO SAVEPOINT step');
  await transaction.run('RELEASE SAVEPOINT step');
}
