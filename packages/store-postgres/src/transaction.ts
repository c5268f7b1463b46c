import { storeUnavailable } from '@x/store';
import type { OpenTransaction, QueryOptions, QueryResult, SqlRow, SqlValues } from '@x/store-sql';
import type { PostgresConnection } from './connection.ts';
import { rollbackMs } from './timeouts.ts';

/** How long a transaction may take, in milliseconds. */
interface TransactionLimits {
  /** When its connection was first waited for, on the clock of `performance`. */
  readonly startedAt: number;
  readonly workMs: number;
  /** How long each statement may take, and how long the server may work on it. */
  readonly callMs: number;
  readonly statementMs: number;
}

/**
 * The open transaction of a connection. Work in a transaction that was rolled back early may still be running: none of
 * its later calls may reach the connection, which by then belongs to somebody else.
 */
export class PostgresTransaction implements OpenTransaction {
  readonly #connection: PostgresConnection;
  readonly #limits: TransactionLimits;
  #hasAnswer = false;
  #isOver = false;
  /** Whether statements of the app's own may have run. */
  #isForeign = false;

  constructor(connection: PostgresConnection, limits: TransactionLimits) {
    this.#connection = connection;
    this.#limits = limits;
  }

  get isOpen(): boolean {
    return !this.#isOver && !this.#connection.isBroken;
  }

  get connection(): unknown {
    this.#isForeign = true;
    return this.#connection.client;
  }

  /** Opens it. */
  async begin(): Promise<void> {
    await this.#connection.begin(this.#limitMs());
  }

  async all(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return (await this.#within((limitMs) => this.#connection.run(text, values, limitMs))).rows;
  }

  async own(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    this.#isForeign = true;
    return (await this.#within((limitMs) => this.#connection.runForeign(text, values, limitMs))).rows;
  }

  async query(text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> {
    const { statementMs } = this.#limits;
    return this.#within((limitMs) =>
      this.#connection.query(text, values, { statementMs, endsAt: performance.now() + limitMs }, options),
    );
  }

  async run(text: string, values: SqlValues = []): Promise<number> {
    return (await this.#within((limitMs) => this.#connection.run(text, values, limitMs))).rowCount ?? 0;
  }

  /** Makes the transaction durable, within `limitMs`. */
  async commit(limitMs: number): Promise<void> {
    this.#assertOpen();
    const { command } = await this.#end('COMMIT', limitMs);
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
    if (this.#connection.isBusy) return;
    // The error that led here is more informative than that of a failed rollback, which leaves the connection broken.
    const limitMs = Math.max(rollbackMs, this.#limitMs());
    await this.#end('ROLLBACK', limitMs).catch(() => undefined);
  }

  #end(command: 'COMMIT' | 'ROLLBACK', limitMs: number): ReturnType<PostgresConnection['run']> {
    const connection = this.#connection;
    return this.#isForeign ? connection.endForeign(command, limitMs) : connection.run(command, [], limitMs);
  }

  async #within<T>(work: (limitMs: number) => Promise<T>): Promise<T> {
    this.#assertOpen();
    try {
      return await work(this.#limitMs());
    } finally {
      this.#hasAnswer = true;
    }
  }

  /** Until the first answer, all that was waited for counts as one call. */
  #limitMs(): number {
    const { startedAt, workMs, callMs } = this.#limits;
    const tookMs = performance.now() - startedAt;
    return Math.min(this.#hasAnswer ? callMs : callMs - tookMs, workMs - tookMs);
  }

  /**
   * @throws CodedError `SERVICE_UNAVAILABLE` if the transaction has ended
   */
  #assertOpen(): void {
    if (!this.isOpen) throw storeUnavailable();
  }
}
