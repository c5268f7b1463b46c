import { storeUnavailable } from '@x/store';
import { assertStorableText } from '@x/store/engine';
import {
  cutRows,
  type QueryOptions,
  type QueryResult,
  type SqlRow,
  type SqlValue,
  type SqlValues,
  toValues,
} from '@x/store-sql';
import pg from 'pg';
import { isLost, orStoreError, toQueryError, toStoreError } from './errors.ts';
import { isLargePage, readLargePage } from './large-page.ts';
import type { Pooler, StatementNames } from './pooler.ts';
import {
  type Effort,
  leavesSomething,
  resetSession,
  selectConnectionFacts,
  toBegin,
  toPooledBegin,
  unlockSession,
} from './settings.ts';
import { answerMs, type Timeouts } from './timeouts.ts';
import { ownTypes } from './types.ts';

/** The state that the connections of a pool share. */
interface SharedByConnections {
  readonly pooler: Readonly<Pooler>;
  readonly names: StatementNames;
  readonly suspects: SuspectConnections;
  readonly timeouts: Timeouts;
  /** Whether the connections belong to a pool of the app, whose settings are up to the app. */
  readonly isGiven: boolean;
  /** Called when a connection is lost. */
  readonly onLost: () => void;
}

/** The result of a statement. */
type StatementResult = pg.QueryResult<SqlRow>;

/** The needs of a statement, which settings have to meet. */
interface Needs {
  /** Default: any. */
  readonly effort?: Effort;
  /**
   * How long the server may work on the statement, in milliseconds. Default and maximum: the limit of all statements.
   */
  readonly statementMs?: number;
}

/** A statement with its values. */
interface Statement extends Needs {
  readonly text: string;
  /** Default: none. */
  readonly values?: SqlValues;
  /** Whether it is a statement of the app, whose parsers parse the result. */
  readonly isOfApp?: boolean;
}

/** A statement that runs now. */
interface BoundStatement extends Statement {
  readonly values: readonly SqlValue[];
}

/**
 * A connection taken from the pool, for one statement at a time. It throws the errors of the store contracts. A
 * statement that has not ended at `endsAt`, on the clock of `performance`, fails.
 */
export class PostgresConnection {
  /** The client of pg, for query builders. */
  readonly client: pg.PoolClient;
  readonly #shared: SharedByConnections;
  readonly #returnToPool: (isBroken: boolean) => void;
  #isInTransaction = false;
  /** The savepoints with which the transaction began; null once another statement has run. */
  #savepoints: string[] | null = null;
  #isBusy = false;
  #isBroken = false;
  /** Whether statements of the app may have changed the session in a way that only a new connection undoes. */
  #isUsedUp = false;

  /** @param release - returns the connection to the pool, which closes it if it is broken */
  constructor(client: pg.PoolClient, shared: SharedByConnections, release: (isBroken: boolean) => void) {
    this.client = client;
    this.#shared = shared;
    this.#returnToPool = release;
  }

  /** Whether the connection is unusable, because it was lost or a response did not come in time. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether a statement is in progress. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Begins a transaction, of which all further statements are part. The first of them is sent without waiting. */
  async begin(endsAt: number): Promise<void> {
    [this.#isInTransaction, this.#savepoints] = [true, []];
    const opened = this.#sendBegin(endsAt, {});
    if (this.client.pipeline) opened.catch(() => (this.#isBroken = true));
    else await opened;
  }

  /**
   * Runs a statement. It is not sent if no time is left.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if the database does not answer in time
   */
  async run({ values = [], ...given }: Statement, endsAt: number): Promise<StatementResult> {
    const { text, isOfApp = false } = given;
    this.#isUsedUp ||= isOfApp && this.#shared.isGiven && leavesSomething.test(text);
    const statement = { ...given, values: toStorable(values) };
    const savepoint = text.startsWith('SAVEPOINT ') ? text : null;
    return orStoreError(() => this.#attempt(endsAt, () => this.#execute(statement, endsAt), savepoint));
  }

  /**
   * Runs a query whose cost depends on its caller.
   *
   * @param limitMs - how long the server may work on it
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if the server ends it then, or `SERVICE_UNAVAILABLE` if less time was left
   * until `endsAt`; otherwise as {@link PostgresConnection.run}
   */
  async query(
    text: string,
    values: SqlValues,
    { endsAt, limitMs, ...options }: QueryOptions & { readonly endsAt: number; readonly limitMs: number },
  ): Promise<QueryResult> {
    const [sentAt, answerAt] = [performance.now(), endsAt + answerMs];
    const statementMs = Math.floor(Math.min(limitMs, endsAt - sentAt));
    const statement: BoundStatement = {
      text,
      values: toStorable(values),
      effort: options.mayScan ? 'any' : 'read',
      statementMs,
    };
    try {
      return await this.#attempt(answerAt, async () =>
        isLargePage(options)
          ? this.#readPage(statement, answerAt, options)
          : cutRows((await this.#execute(statement, answerAt)).rows, options),
      );
    } catch (error) {
      throw toQueryError(error, { tookMs: performance.now() - sentAt, statementMs, limitMs });
    }
  }

  /**
   * Returns the connection to the pool; if a statement is in progress, it is closed, which rolls back its transaction.
   */
  release(): void {
    this.#returnToPool(this.#isBroken || this.#isBusy || this.#isUsedUp);
  }

  /**
   * Ends a transaction in which statements of the app ran. Settings and locks that they left on the connection are
   * undone, and the settings of all statements are made again.
   *
   * @throws TypeError if the statements have ended the transaction
   * @throws CodedError as {@link PostgresConnection.run}
   */
  async endAfterApp(command: 'COMMIT' | 'ROLLBACK', endsAt: number): Promise<StatementResult> {
    const { pooler, timeouts, isGiven } = this.#shared;
    const end = command === 'COMMIT' ? 'SAVEPOINT open; COMMIT' : command;
    try {
      return await this.#attempt(endsAt, async () => {
        const result = await this.#sendPlain(`${end}; ${isGiven ? unlockSession : resetSession}`, endsAt);
        const setAgain = { text: selectConnectionFacts, values: [String(timeouts.statementMs)] };
        // The transaction has ended by then, even if the connection is lost.
        if (!pooler.isPresent) await this.#send(setAgain, endsAt).catch(() => (this.#isBroken = true));
        const all: readonly StatementResult[] = Array.isArray(result) ? result : [result];
        return all.find((each) => each.command === 'COMMIT' || each.command === 'ROLLBACK') ?? result;
      });
    } catch (error) {
      if (command === 'ROLLBACK') this.#isBroken = true;
      if (error instanceof pg.DatabaseError && error.code === noTransaction) throw endedByApp();
      throw toStoreError(error);
    }
  }

  /** Repeats work that was refused because of a name, and notes whether the connection is lost. */
  async #attempt<T>(endsAt: number, work: () => Promise<T>, savepoint: string | null = null): Promise<T> {
    const sentAt = performance.now();
    if (sentAt >= endsAt) throw storeUnavailable();
    const { pooler, suspects, onLost } = this.#shared;
    const hadName = pooler.keepsNames;
    this.#isBusy = true;
    try {
      const result = await work();
      suspects.clear(this.client);
      if (savepoint === null) this.#savepoints = null;
      else this.#savepoints?.push(savepoint);
      return result;
    } catch (error) {
      if (isLost(error)) {
        this.#isBroken = true;
        suspects.add(sentAt);
        onLost();
      } else {
        suspects.clear(this.client);
      }
      // Statements of the transaction that have run before are lost with it.
      if (!hadName || !pooler.detectFromName(error) || (this.#isInTransaction && !this.#savepoints)) throw error;
      if (this.#savepoints) {
        await this.#sendPlain('ROLLBACK', endsAt);
        await this.#sendBegin(endsAt, {});
        for (const each of this.#savepoints) await this.#sendPlain(each, endsAt);
      }
      return await this.#attempt(endsAt, work, savepoint);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Runs a statement. Outside a transaction, it runs in one of its own, which makes the settings that it needs. */
  async #execute(statement: BoundStatement, endsAt: number): Promise<StatementResult> {
    if (this.#isInTransaction) return this.#send(statement, endsAt);
    const isLate = this.#isLate(statement, endsAt);
    if (!isLate && this.#hasSettingsFor(statement)) return this.#send(statement, endsAt);
    if (isLate || !this.client.pipeline) {
      return this.#inOwnTransaction(endsAt, statement, () => this.#send(statement, endsAt));
    }
    const [opened, result, committed] = await Promise.allSettled([
      this.#sendBegin(endsAt, statement),
      this.#send(statement, endsAt),
      this.#sendPlain('COMMIT', endsAt),
    ]);
    if (result.status === 'rejected') throw result.reason;
    for (const other of [opened, committed]) if (other.status === 'rejected') throw other.reason;
    return result.value;
  }

  /**
   * Says whether the server may still work on a write when its caller has given up, because it got its connection late.
   * Committed apart, it is not written then.
   */
  #isLate({ effort }: Needs, endsAt: number): boolean {
    return effort === 'write' && endsAt - performance.now() < this.#shared.timeouts.statementMs;
  }

  /** Says whether the connection has the settings that a statement needs. */
  #hasSettingsFor({ effort, statementMs = Infinity }: Needs): boolean {
    const { pooler, timeouts } = this.#shared;
    return pooler.isPresent ? effort === 'read' && pooler.isAsNeeded : statementMs >= timeouts.statementMs;
  }

  async #readPage(statement: BoundStatement, endsAt: number, options: QueryOptions): Promise<QueryResult> {
    const { statementMs = Infinity } = statement;
    const read = (): Promise<QueryResult> =>
      readLargePage(
        { text: statement.text, options, endsAt: performance.now() + statementMs },
        (text) => this.#send({ ...statement, text }, endsAt),
        (text) => this.#send({ ...statement, text, values: [] }, endsAt),
      );
    return this.#isInTransaction ? read() : this.#inOwnTransaction(endsAt, { statementMs }, read);
  }

  async #inOwnTransaction<T>(endsAt: number, needs: Needs, work: () => Promise<T>): Promise<T> {
    await this.#sendBegin(endsAt, needs);
    try {
      const result = await work();
      await this.#sendPlain('COMMIT', endsAt);
      return result;
    } catch (error) {
      if (!isLost(error)) await this.#sendPlain('ROLLBACK', endsAt);
      throw error;
    }
  }

  #sendBegin(endsAt: number, { effort = 'any', statementMs = Infinity }: Needs): Promise<StatementResult> {
    const { pooler, timeouts } = this.#shared;
    const limits = { ...timeouts, statementMs: Math.max(1, Math.min(statementMs, timeouts.statementMs)) };
    return this.#sendPlain(
      pooler.isPresent ? toPooledBegin(limits, pooler, effort) : toBegin(limits, timeouts),
      endsAt,
    );
  }

  #sendPlain(text: string, endsAt: number): Promise<StatementResult> {
    return this.#send({ text, values: [] }, endsAt);
  }

  /** Sends a statement; by name if it has values, so that each connection parses and plans it only once. */
  #send({ text, values, isOfApp }: BoundStatement, endsAt: number): Promise<StatementResult> {
    const { pooler, names } = this.#shared;
    const query: TimedQuery = {
      text,
      values: [...values],
      query_timeout: Math.max(1, endsAt - performance.now()),
      ...(values.length > 0 && pooler.keepsNames && { name: names.of(text) }),
      // The extended protocol takes one statement alone, so that no COMMIT can follow it.
      ...(isOfApp ? { queryMode: 'extended' } : { types: ownTypes }),
    };
    return this.client.query<SqlRow>(query);
  }
}

/** The SQLSTATE of a savepoint outside of a transaction. */
const noTransaction = '25P01';

function endedByApp(): TypeError {
  return new TypeError('A statement of the app has ended the transaction: use the transaction of the stores.');
}

/** A query that is sent as a single statement; documented, but missing from the types. */
export interface OneStatement extends pg.QueryConfig {
  readonly queryMode?: 'extended';
}

/** `query_timeout` is also documented for single queries, but missing from the types. */
export interface TimedQuery extends OneStatement {
  readonly query_timeout: number;
}

/** Refuses half a surrogate pair, which would reach the server as another character. */
function toStorable(values: SqlValues): readonly SqlValue[] {
  const bound = toValues(values);
  for (const value of bound) if (typeof value === 'string') assertStorableText(value);
  return bound;
}

/**
 * Knows which connections may be dead. A network or a server can disappear without notice. Once a connection is lost
 * during a statement, every connection that has not answered since that statement was sent is suspect.
 */
export class SuspectConnections {
  readonly #answeredAt = new WeakMap<object, number>();
  #since = -Infinity;
  /** When the latest answer came. */
  #latest = -Infinity;

  /** Records that a connection has just answered. */
  clear(connection: object): void {
    this.#latest = performance.now();
    this.#answeredAt.set(connection, this.#latest);
  }

  /** Says whether any connection has answered since a moment. */
  hasAnsweredSince(moment: number): boolean {
    return this.#latest > moment;
  }

  /** Records that a statement sent at that moment got no answer, or an error that ends the connection. */
  add(sentAt: number): void {
    this.#since = Math.max(this.#since, sentAt);
  }

  /** Says whether a connection is suspect. */
  includes(connection: object): boolean {
    return (this.#answeredAt.get(connection) ?? Infinity) < this.#since;
  }
}
