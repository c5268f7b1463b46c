import { tooBusy } from '@x/errors';
import { storeUnavailable } from '@x/store';
import {
  cutRows,
  type OpenTransaction,
  type QueryOptions,
  type QueryResult,
  type SqlRow,
  type SqlValue,
  type SqlValues,
  toValues,
} from '@x/store-sql';
import pg from 'pg';
import { ownTypes } from './client.ts';
import { isLost, orStoreError, toQueryError, toStoreError } from './errors.ts';
import { isLargePage, readLargePage } from './large-page.ts';
import type { Pooler } from './pooler.ts';
import {
  hasSettingsFor,
  leavesSomething,
  type Needs,
  resetSession,
  selectConnectionFacts,
  toBegin,
  unlockSession,
} from './settings.ts';
import { answerMs, rollbackMs, type Timeouts } from './timeouts.ts';

/** What a connection needs of its pool. */
interface ConnectionOptions {
  readonly pooler: Readonly<Pooler>;
  readonly timeouts: Timeouts;
  /** Whether the connections belong to a pool of the app, whose settings are up to the app. */
  readonly isGiven: boolean;
  /** When its first answer must have come, on the clock of `performance`. All waits until then count as one call. */
  readonly firstEndsAt: number;
  /** Called when it has answered. */
  readonly onAnswer: () => void;
  /** Called when it is lost, with the moment at which the statement was sent that got no answer. */
  readonly onLost: (sentAt: number) => void;
  /** Returns it to the pool, which closes it if it can't be used again. */
  readonly release: (isUnusable: boolean) => void;
}

type StatementResult = pg.QueryResult<SqlRow>;

interface Statement extends Needs {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether it is a statement of the app, whose parsers parse the result. */
  readonly isOfApp?: boolean;
}

/**
 * A connection taken from the pool, for one call or one transaction. It runs one statement at a time, and throws the
 * errors of the store contracts.
 *
 * Work in a transaction that was rolled back early may still be running. None of its later calls may reach the client,
 * which by then belongs to another caller.
 */
export class PostgresConnection implements OpenTransaction {
  readonly #client: pg.PoolClient;
  readonly #options: ConnectionOptions;
  /** When the transaction has to end; null outside of one. */
  #transactionEndsAt: number | null = null;
  /** The savepoints with which the transaction began; null once another statement has run. */
  #savepoints: string[] | null = null;
  /** When the statement in progress has to end. */
  #endsAt = Infinity;
  #hasAnswer = false;
  #isBusy = false;
  #isBroken = false;
  #isOver = false;
  /** Whether statements of the app may have run. */
  #isUsedByApp = false;
  /** Whether they may have changed the session in a way that only a new connection undoes. */
  #isUsedUp = false;

  constructor(client: pg.PoolClient, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
  }

  get isInTransaction(): boolean {
    return this.#transactionEndsAt !== null;
  }

  /** False if the connection was lost, too, or a response did not come in time. */
  get isOpen(): boolean {
    return !this.#isOver && !this.#isBroken;
  }

  /** The client of pg, for query builders. */
  get connection(): unknown {
    this.#isUsedByApp = true;
    return this.#client;
  }

  /**
   * Begins a transaction, of which all further statements are part. The first of them is sent without waiting.
   *
   * @param endsAt - when it has to end, on the clock of `performance`
   */
  async begin(endsAt: number): Promise<void> {
    [this.#transactionEndsAt, this.#savepoints] = [endsAt, []];
    this.#endsAt = this.#nextEndsAt();
    const opened = this.#sendBegin();
    if (this.#client.pipeline) opened.catch(() => (this.#isBroken = true));
    else await orStoreError(() => opened);
  }

  /**
   * Runs a statement. It is not sent if no time is left.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if the database does not answer in time, or the transaction has ended
   */
  async execute(
    text: string,
    given: SqlValues,
    needs: Omit<Statement, 'text' | 'values'> = {},
  ): Promise<StatementResult> {
    this.#assertOpen();
    const statement = { ...needs, text, values: toValues(given) };
    const savepoint = text.startsWith('SAVEPOINT ') ? text : null;
    return orStoreError(() => this.#attempt(this.#nextEndsAt(), () => this.#runWithSettings(statement), savepoint));
  }

  async all(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    return (await this.execute(text, values)).rows;
  }

  async run(text: string, values: SqlValues = []): Promise<number> {
    return (await this.execute(text, values)).rowCount ?? 0;
  }

  async runOfApp(text: string, values: SqlValues): Promise<readonly SqlRow[]> {
    this.#isUsedByApp = true;
    this.#isUsedUp ||= this.#options.isGiven && leavesSomething.test(text);
    return (await this.execute(text, values, { isOfApp: true })).rows;
  }

  /**
   * Runs a query whose cost depends on its caller.
   *
   * @param limitMs - how long the server may work on it
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if the server ends it then, or `SERVICE_UNAVAILABLE` if less time is left;
   * otherwise as {@link PostgresConnection.execute}
   */
  async query(
    text: string,
    values: SqlValues,
    options: QueryOptions,
    limitMs: number = this.#options.timeouts.statementMs,
  ): Promise<QueryResult> {
    this.#assertOpen();
    const { timeouts } = this.#options;
    const [sentAt, endsAt] = [performance.now(), this.#nextEndsAt()];
    // A busy server takes some time to report that it has ended a query.
    const leftMs = endsAt - sentAt - (timeouts.callMs - timeouts.statementMs) / 2;
    const statementMs = Math.floor(Math.min(limitMs, leftMs));
    if (statementMs <= 0) throw tooBusy();
    const effort = options.mayScan ? 'any' : 'read';
    const statement = { text, values: toValues(values), effort, statementMs } as const;
    try {
      return await this.#attempt(endsAt + answerMs, async () =>
        isLargePage(options)
          ? this.#readPage(statement, options)
          : cutRows((await this.#runWithSettings(statement)).rows, options),
      );
    } catch (error) {
      throw toQueryError(error, { tookMs: performance.now() - sentAt, statementMs, limitMs });
    }
  }

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
    if (this.#isBusy) return;
    // The error that led here is more informative than the error of a failed rollback.
    const endsAt = Math.max(performance.now() + rollbackMs, this.#nextEndsAt());
    await this.#end('ROLLBACK', endsAt).catch(() => (this.#isBroken = true));
  }

  /**
   * Returns the connection to the pool; if a statement is in progress, it is closed, which rolls back its transaction.
   */
  release(): void {
    this.#options.release(this.#isBroken || this.#isBusy || this.#isUsedUp);
  }

  /** @throws CodedError `SERVICE_UNAVAILABLE` if the transaction has ended, or the connection is lost */
  #assertOpen(): void {
    if (!this.isOpen) throw storeUnavailable();
  }

  /** When the next statement has to end. */
  #nextEndsAt(): number {
    const { firstEndsAt, timeouts } = this.#options;
    const endsAt = this.#hasAnswer ? performance.now() + timeouts.callMs : firstEndsAt;
    return Math.min(endsAt, this.#transactionEndsAt ?? Infinity);
  }

  /**
   * Ends the transaction. Settings and locks that statements of the app left on the connection are undone, and the
   * settings of all statements are made again.
   *
   * @throws TypeError if statements of the app have ended the transaction
   */
  async #end(command: 'COMMIT' | 'ROLLBACK', endsAt: number): Promise<StatementResult> {
    if (!this.#isUsedByApp) return orStoreError(() => this.#attempt(endsAt, () => this.#sendPlain(command)));
    const { pooler, timeouts, isGiven } = this.#options;
    const end = command === 'COMMIT' ? 'SAVEPOINT open; COMMIT' : command;
    try {
      return await this.#attempt(endsAt, async () => {
        const result = await this.#sendPlain(`${end}; ${isGiven ? unlockSession : resetSession}`);
        const setAgain = { text: selectConnectionFacts, values: [String(timeouts.statementMs)] };
        // The transaction has ended by then, even if the connection is lost.
        if (!pooler.isPresent) await this.#send(setAgain).catch(() => (this.#isBroken = true));
        const all: readonly StatementResult[] = Array.isArray(result) ? result : [result];
        return all.find((each) => each.command === 'COMMIT' || each.command === 'ROLLBACK') ?? result;
      });
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === noTransaction) {
        throw new TypeError(endedByApp);
      }
      throw toStoreError(error);
    }
  }

  /** Repeats work that was refused because of a name, and notes whether the connection is lost. */
  async #attempt<T>(endsAt: number, work: () => Promise<T>, savepoint: string | null = null): Promise<T> {
    const sentAt = performance.now();
    if (sentAt >= endsAt) throw storeUnavailable();
    const { pooler, onAnswer, onLost } = this.#options;
    const hadName = pooler.names !== null;
    [this.#isBusy, this.#endsAt] = [true, endsAt];
    try {
      const result = await work();
      onAnswer();
      if (savepoint === null) this.#savepoints = null;
      else this.#savepoints?.push(savepoint);
      return result;
    } catch (error) {
      if (isLost(error)) {
        this.#isBroken = true;
        onLost(sentAt);
      } else {
        onAnswer();
      }
      // Statements of the transaction that have run before are lost with it.
      if (!hadName || !pooler.detectFromName(error) || (this.isInTransaction && !this.#savepoints)) throw error;
      if (this.#savepoints) {
        await this.#sendPlain(['ROLLBACK', toBegin({}, this.#options), ...this.#savepoints].join('; '));
      }
      return await this.#attempt(endsAt, work, savepoint);
    } finally {
      [this.#isBusy, this.#hasAnswer] = [false, true];
    }
  }

  /** Runs a statement. Outside a transaction, it runs in one of its own, which makes the settings that it needs. */
  async #runWithSettings(statement: Statement): Promise<StatementResult> {
    if (this.isInTransaction) return this.#send(statement);
    const isLate = this.#isLate(statement);
    if (!isLate && hasSettingsFor(statement, this.#options)) return this.#send(statement);
    if (isLate || !this.#client.pipeline) return this.#inOwnTransaction(statement, () => this.#send(statement));
    const sent = [this.#sendBegin(statement), this.#send(statement), this.#sendPlain('COMMIT')] as const;
    const [, , committed] = await Promise.allSettled(sent);
    // The server may have ended the COMMIT as well, and still be in the transaction.
    if (committed.status === 'rejected') this.#isBroken = true;
    // Of several errors, the first has caused the others.
    const [, result] = await Promise.all(sent);
    return result;
  }

  /**
   * Says whether the server may still work on a write when its caller has given up, because it got its connection late.
   * Committed apart, it is not written then.
   */
  #isLate({ effort }: Needs): boolean {
    return effort === 'write' && this.#endsAt - performance.now() < this.#options.timeouts.statementMs;
  }

  async #readPage(statement: Statement & Required<Needs>, options: QueryOptions): Promise<QueryResult> {
    const read = (): Promise<QueryResult> =>
      readLargePage(statement, options, (text, values = []) => this.#send({ text, values }));
    return this.isInTransaction ? read() : this.#inOwnTransaction({ statementMs: statement.statementMs }, read);
  }

  async #inOwnTransaction<T>(needs: Needs, work: () => Promise<T>): Promise<T> {
    try {
      await this.#sendBegin(needs);
      const result = await work();
      await this.#sendPlain('COMMIT');
      return result;
    } catch (error) {
      if (!isLost(error)) await this.#sendPlain('ROLLBACK').catch(() => (this.#isBroken = true));
      throw error;
    }
  }

  #sendBegin(needs: Needs = {}): Promise<StatementResult> {
    return this.#sendPlain(toBegin(needs, this.#options));
  }

  #sendPlain(text: string): Promise<StatementResult> {
    return this.#send({ text, values: [] });
  }

  /** Sends a statement; by name if it has values, so that each connection parses and plans it only once. */
  #send({ text, values, isOfApp }: Statement): Promise<StatementResult> {
    const query: PgQuery = {
      text,
      values: [...values],
      query_timeout: Math.max(1, this.#endsAt - performance.now()),
      name: values.length > 0 ? this.#options.pooler.names?.of(text) : undefined,
      // The extended protocol takes one statement alone, so that no COMMIT can follow it.
      ...(isOfApp ? { queryMode: 'extended' } : { types: ownTypes }),
    };
    return this.#client.query<SqlRow>(query);
  }
}

/** The SQLSTATE of a savepoint outside of a transaction. */
const noTransaction = '25P01';

const endedByApp = 'A statement of the app has ended the transaction: use the transaction of the stores.';

/** A query with options that are documented, but missing from the types. */
export interface PgQuery extends pg.QueryConfig {
  readonly query_timeout?: number;
  /** Sends it as a single statement. */
  readonly queryMode?: 'extended';
}
