import { storeUnavailable, Turns } from '@x/store';
import type { SqlRow, SqlScope, SqlValues } from '@x/store-sql';

import { inSavepoint } from './savepoint.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Runs `work` on a scope inside the connection's open transaction. When `work` ends, later calls on the
 * scope throw `TypeError`, and the calls that `work` did not wait for have ended as well.
 */
export async function withTransactionScope<T>(
  connection: SqliteConnection,
  work: (scope: SqlScope) => Promise<T>,
): Promise<T> {
  const scope = new TransactionScope(connection);
  try {
    return await work(scope);
  } finally {
    await scope.end();
  }
}

/** Calls take turns, so that an inner savepoint holds its own changes and nobody else's. */
class TransactionScope implements SqlScope {
  readonly #connection: SqliteConnection;
  readonly #turns = new Turns();
  #over = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  read(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return this.#run(() => this.#connection.all(text, values));
  }

  write(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return this.#run(() => this.#connection.all(text, values));
  }

  execute(text: string, values: SqlValues): Promise<number> {
    return this.#run(() => this.#connection.run(text, values));
  }

  step<T>(work: (scope: SqlScope) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  transaction<T>(work: (scope: SqlScope) => Promise<T>): Promise<T> {
    return this.#run(() => inSavepoint(this.#connection, () => withTransactionScope(this.#connection, work)));
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#turns.run(() => undefined, Infinity);
  }

  async #run<T>(job: () => T | Promise<T>): Promise<T> {
    if (this.#over) throw new TypeError('The transaction of these stores is over.');
    // Without this, statements after a failure that ended the transaction would commit one by one.
    if (!this.#connection.inTransaction) throw storeUnavailable();
    return await this.#turns.run(job);
  }
}
