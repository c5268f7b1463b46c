import { storeUnavailable } from '@x/store';
import type { OpenTransaction, QueryOptions, QueryResult, SqlRow, SqlValues } from '@x/store-sql';
import type { PostgresConnection } from './connection.ts';
import { rollbackMs } from './timeouts.ts';

/** When a transaction has to end, on the clock of `performance`, and how long each of its statements may take. */
interface TransactionLimits {
  readonly endsAt: number;
  /** When the first answer must have come. All waits until then count as one call. */
  readonly firstEndsAt: number;
  readonly callMs: number;
  /** How long the server may work on a query, in milliseconds. */
  readonly statementMs: number;
}

/**
 * The open transaction of a connection. Work in a transaction that was rolled back early may still be running. None of
 * its later calls may reach the connection, which by then belongs to another caller.
 */
export class PostgresTransaction implements OpenTransaction {
  readonly #connection: PostgresConnection;
  readonly #limits: TransactionLimits;
  #hasAnswer = false;
  #isOver = false;
  /** Whether statements of the app may have run. */
  #isUsedByApp = false;

  constructor(connection: PostgresConnection, limits: TransactionLimits) {
    this.#connection = connection;
    this.#limits = limits;
  }

  get isOpen(): boolean {
    return !this.#isOver && !this.#connection.isBroken;
  }

  get connection(): unknown {
    this.#isUsedByApp = true;
    return this.#connection.client;
  }

  /** Begins the transaction. */
  async begin(): Promise<void> {
    await this.#connection.begin(this.#callEndsAt());
  }

  async all(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return (await this.#within((endsAt) => this.#connection.run({ text, values }, endsAt))).rows;
  }

  async runOfApp(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    this.#isUsedByApp = true;
    return (await this.#within((endsAt) => this.#connection.run({ text, values, isOfApp: true }, endsAt))).rows;
  }

  async query(text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> {
    const { statementMs: limitMs } = this.#limits;
    return this.#within((endsAt) => this.#connection.query(text, values, { ...options, endsAt, limitMs }));
  }

  async run(text: string, values: SqlValues = []): Promise<number> {
    return (await this.#within((endsAt) => this.#connection.run({ text, values }, endsAt))).rowCount ?? 0;
  }

  /** Makes the transaction durable. */
  async commit(endsAt: number): Promise<void> {
    this.#assertOpen();
    const { command } = await this.#end('COMMIT', endsAt);
    this.#isOver = true;
    // If a statement failed, Postgres rolls the transaction back and reports the COMMIT as a success.
    if (command !== 'COMMIT') throw storeUnavailable();
  }

  /**
   * Rolls the transaction back, unless it has ended. It does not wait for a statement in progress, but closes the
   * connection.
   */
  async rollback(): Promise<void> {
    if (!this.isOpen) return;
    this.#isOver = true;
    if (this.#connection.isBusy) return;
    // The error that led here is more informative than the error of a failed rollback, which leaves the connection
    // broken.
    const endsAt = Math.max(performance.now() + rollbackMs, this.#callEndsAt());
    await this.#end('ROLLBACK', endsAt).catch(() => undefined);
  }

  #end(command: 'COMMIT' | 'ROLLBACK', endsAt: number): ReturnType<PostgresConnection['run']> {
    const connection = this.#connection;
    return this.#isUsedByApp ? connection.endAfterApp(command, endsAt) : connection.run({ text: command }, endsAt);
  }

  async #within<T>(work: (endsAt: number) => Promise<T>): Promise<T> {
    this.#assertOpen();
    try {
      return await work(this.#callEndsAt());
    } finally {
      this.#hasAnswer = true;
    }
  }

  /** When the next statement has to end. */
  #callEndsAt(): number {
    const { endsAt, firstEndsAt, callMs } = this.#limits;
    return Math.min(this.#hasAnswer ? performance.now() + callMs : firstEndsAt, endsAt);
  }

  /**
   * @throws CodedError `SERVICE_UNAVAILABLE` if the transaction has ended
   */
  #assertOpen(): void {
    if (!this.isOpen) throw storeUnavailable();
  }
}
