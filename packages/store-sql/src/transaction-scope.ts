import { Mutex } from '@x/store/engine';

import type { OpenTransaction } from './open-transaction.ts';
import { inSavepoint } from './savepoint.ts';
import type { SqlRow, SqlScope, SqlValues } from './sql-driver.ts';

/**
 * Runs `work` on a scope in the open transaction. When `work` ends, later calls on the scope throw `TypeError`, and
 * calls that `work` did not wait for have ended as well.
 */
export async function withTransactionScope<T>(
  transaction: OpenTransaction,
  work: (scope: SqlScope) => Promise<T>,
): Promise<T> {
  const scope = new TransactionScope(transaction);
  try {
    return await work(scope);
  } finally {
    await scope.end();
  }
}

/** Calls take turns, so that an inner savepoint contains only its own changes. */
class TransactionScope implements SqlScope {
  readonly #transaction: OpenTransaction;
  readonly #turns = new Mutex();
  #over = false;

  constructor(transaction: OpenTransaction) {
    this.#transaction = transaction;
  }

  read(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return this.#run(() => this.#transaction.all(text, values));
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

  step<T>(work: (scope: SqlScope) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  transaction<T>(work: (scope: SqlScope) => Promise<T>): Promise<T> {
    return this.#run(() => inSavepoint(this.#transaction, () => withTransactionScope(this.#transaction, work)));
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#turns.run(() => undefined, Infinity);
  }

  async #run<T>(job: () => T | Promise<T>): Promise<T> {
    if (this.#over) throw new TypeError('The transaction of these stores has ended.');
    return await this.#turns.run(job);
  }
}
