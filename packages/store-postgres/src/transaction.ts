import { storeUnavailable } from '@x/store';
import type { OpenTransaction, QueryOptions, QueryResult, SqlRow, SqlValues } from '@x/store-sql';
import type { PostgresConnection } from './connection.ts';
import { toBounds } from './statement.ts';
import { queryMs, rollbackMs } from './timeouts.ts';

/**
 * The open transaction of a connection. Work in a transaction that was rolled back early may still be running: none of
 * its later calls may reach the connection, which by then belongs to somebody else.
 */
export class PostgresTransaction implements OpenTransaction {
  readonly #connection: PostgresConnection;
  readonly #endsAt: number;
  readonly #callMs: number;
  #isOver = false;

  /**
   * @param endsAt - the deadline for its statements, on the clock of `performance`
   * @param callMs - how long each of them may take
   */
  constructor(connection: PostgresConnection, endsAt: number, callMs: number) {
    this.#connection = connection;
    this.#endsAt = endsAt;
    this.#callMs = callMs;
  }

  get isOpen(): boolean {
    return !this.#isOver && !this.#connection.isBroken;
  }

  get connection(): unknown {
    return this.#connection.client;
  }

  /** Opens it; the server hears of it with the first statement. */
  begin(): void {
    this.#connection.begin();
  }

  async all(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    this.#assertOpen();
    return (await this.#connection.query(text, values, this.#limitMs(), 'write')).rows;
  }

  async query(text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> {
    this.#assertOpen();
    return this.#connection.query(text, values, this.#limitMs(), { ...toBounds(options, queryMs), serverMs: null });
  }

  async run(text: string, values: SqlValues = []): Promise<number> {
    this.#assertOpen();
    return (await this.#connection.query(text, values, this.#limitMs(), 'write')).rowCount ?? 0;
  }

  /** Makes the transaction durable, within `limitMs`. */
  async commit(limitMs: number): Promise<void> {
    this.#assertOpen();
    if (!this.#connection.hasBegun) {
      this.#isOver = true;
      return;
    }
    const { command } = await this.#connection.query('COMMIT', [], limitMs, 'write');
    this.#isOver = true;
    // If a statement failed, Postgres rolls the transaction back and reports the COMMIT as a success.
    if (command !== 'COMMIT') throw storeUnavailable();
  }

  /**
   * Rolls the transaction back, unless it has ended. It does not wait for a statement in progress: the connection is
   * closed.
   */
  async rollback(): Promise<void> {
    if (!this.isOpen) return;
    this.#isOver = true;
    if (this.#connection.isBusy || !this.#connection.hasBegun) return;
    // The error that led here is more informative than that of a failed rollback, which leaves the connection broken.
    const limitMs = Math.max(rollbackMs, this.#limitMs());
    await this.#connection.query('ROLLBACK', [], limitMs, 'write').catch(() => undefined);
  }

  #limitMs(): number {
    return Math.min(this.#callMs, this.#endsAt - performance.now());
  }

  /**
   * @throws CodedError `SERVICE_UNAVAILABLE` if the transaction has ended
   */
  #assertOpen(): void {
    if (!this.isOpen) throw storeUnavailable();
  }
}
