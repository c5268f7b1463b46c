import { storeUnavailable } from '@x/store';
import type { OpenTransaction, SqlRow, SqlValues } from '@x/store-sql';

import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * The open transaction of a connection. Work in a transaction that was rolled back early may still be running: none of
 * its later calls may reach the connection, which would run them in the next transaction or alone.
 */
export class SqliteTransaction implements OpenTransaction {
  readonly #connection: SqliteConnection;
  #isOver = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Also false if SQLite itself has ended the transaction, as it does on some failures. */
  get isOpen(): boolean {
    return !this.#isOver && this.#connection.inTransaction;
  }

  /** Runs a statement that returns rows. */
  all(text: string, values: SqlValues): readonly SqlRow[] {
    this.assertOpen();
    return this.#connection.all(text, values);
  }

  /** Runs a statement that returns no rows, and says how many it changed. */
  run(text: string, values?: SqlValues): number {
    this.assertOpen();
    return this.#connection.run(text, values);
  }

  /** Commits the transaction. */
  commit(): void {
    this.assertOpen();
    this.#connection.commit();
    this.#isOver = true;
  }

  /** Rolls the transaction back, unless it has ended. */
  rollback(): void {
    if (this.isOpen) this.#connection.rollback();
    this.#isOver = true;
  }

  /**
   * @throws CodedError `SERVICE_UNAVAILABLE` if the transaction has ended
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` where the transaction is over
   */
  assertOpen(): void {
    if (!this.isOpen) throw storeUnavailable();
  }
}
