import { storeUnavailable } from '@x/store';
import type { OpenTransaction, SqlRow, SqlValues } from '@x/store-sql';

import { callMs, rollbackMs } from './limits.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/**
 * The transaction that is open on a connection, for as long as it is. What was undone early may still be at work:
 * none of its later calls may reach the connection, which somebody else has by then.
 */
export class PostgresTransaction implements OpenTransaction {
  readonly #connection: PostgresConnection;
  readonly #endsAt: number;
  #isOver = false;

  /** @param endsAt - until when its statements have to be answered, on the clock of `performance` */
  constructor(connection: PostgresConnection, endsAt: number) {
    this.#connection = connection;
    this.#endsAt = endsAt;
  }

  get isOpen(): boolean {
    return !this.#isOver && !this.#connection.isBroken;
  }

  /** Opens it, within what is left of the wait for the connection. */
  async begin(limitMs: number): Promise<void> {
    await this.#connection.query('BEGIN', [], limitMs);
  }

  async all(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    this.#assertOpen();
    return (await this.#connection.query(text, values, this.#limitMs())).rows;
  }

  async run(text: string, values: SqlValues = []): Promise<number> {
    this.#assertOpen();
    return (await this.#connection.query(text, values, this.#limitMs())).rowCount ?? 0;
  }

  /** Makes the transaction durable, within `limitMs`. */
  async commit(limitMs: number): Promise<void> {
    this.#assertOpen();
    const { command } = await this.#connection.query('COMMIT', [], limitMs);
    this.#isOver = true;
    // Postgres undoes a transaction in which a statement failed, and calls that a success.
    if (command !== 'COMMIT') throw storeUnavailable();
  }

  /** Undoes the transaction, unless it is over. What is still at work in it is not waited for: its connection is closed. */
  async rollback(): Promise<void> {
    if (!this.isOpen) return;
    this.#isOver = true;
    if (this.#connection.isBusy) return;
    // The error that led here says more than one of the rollback, which would leave the connection broken.
    await this.#connection.query('ROLLBACK', [], Math.max(rollbackMs, this.#limitMs())).catch(() => undefined);
  }

  #limitMs(): number {
    return Math.min(callMs, this.#endsAt - performance.now());
  }

  /** @throws CodedError `SERVICE_UNAVAILABLE` where the transaction is over */
  #assertOpen(): void {
    if (!this.isOpen) throw storeUnavailable();
  }
}
