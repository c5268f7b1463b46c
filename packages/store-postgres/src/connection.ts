import { storeUnavailable } from '@x/store';
import { assertStorableText } from '@x/store/engine';
import type { SqlRow, SqlValue, SqlValues } from '@x/store-sql';
import pg from 'pg';
import { isLost, isLostName, toQueryError, toStoreError } from './errors.ts';
import { type Access, begin, type PooledSettings, setLimit } from './settings.ts';
import { Statement, type StatementBounds, type StatementNames, type StatementResult, type Step } from './statement.ts';
import { closeMs, type Timeouts } from './timeouts.ts';

/** A connection taken from the pool, for one statement at a time. It throws the errors of the store contracts. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #suspects: SuspectConnections;
  readonly #isPooled: () => boolean;
  readonly #keepsNames: () => boolean;
  readonly #origin: string;
  readonly #timeouts: Timeouts;
  readonly #pooledSettings: PooledSettings;
  readonly #onLostName: () => void;
  readonly #forget: () => void;
  readonly #returnToPool: (isBroken: boolean) => void;
  #isBusy = false;
  #isBroken = false;
  /** Whether statements are part of a transaction; `due`: the first of them brings its `BEGIN` along. */
  #transaction: 'none' | 'due' | 'begun' = 'none';

  constructor(
    client: pg.PoolClient,
    shared: {
      readonly names: StatementNames;
      readonly suspects: SuspectConnections;
      /** Whether a pooler may give each transaction another connection to the server. */
      readonly isPooled: () => boolean;
      /** Whether statements may have names: those of a pooler that keeps none may be gone. */
      readonly keepsNames: () => boolean;
      /** Names the connection. */
      readonly origin: string;
      readonly timeouts: Timeouts;
      readonly pooledSettings: PooledSettings;
      /** Called when the server does not know a statement by its name, as behind a pooler that keeps none. */
      readonly onLostName: () => void;
      /** Called when the connection is lost. */
      readonly forget: () => void;
      /** Returns the connection to the pool, which closes it if it is broken. */
      readonly release: (isBroken: boolean) => void;
    },
  ) {
    this.#client = client;
    this.#names = shared.names;
    this.#suspects = shared.suspects;
    this.#isPooled = shared.isPooled;
    this.#keepsNames = shared.keepsNames;
    this.#origin = shared.origin;
    this.#timeouts = shared.timeouts;
    this.#pooledSettings = shared.pooledSettings;
    this.#onLostName = shared.onLostName;
    this.#forget = shared.forget;
    this.#returnToPool = shared.release;
  }

  /** Whether the connection is unusable, because it was lost or a response did not come in time. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The client of pg, for statements of others; a transaction begins before them. */
  get client(): pg.PoolClient {
    if (this.#transaction === 'due')
      void this.#beginAlone(this.#timeouts.callMs).catch(() => dropConnection(this.#client));
    return this.#client;
  }

  /** Whether a statement is in progress. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Makes all further statements part of a transaction, which begins with the first of them. */
  begin(): void {
    this.#transaction = 'due';
  }

  /** Whether a transaction has begun on the server. */
  get hasBegun(): boolean {
    return this.#transaction === 'begun';
  }

  /**
   * Runs a statement, but stops waiting after `limitMs`. Without any time left it is not sent.
   *
   * @param kind - what it may do; the bounds of a query, which is `QUERY_TOO_EXPENSIVE` if the server ends it
   */
  async query(
    text: string,
    values: SqlValues,
    limitMs: number,
    kind: Access | StatementBounds,
  ): Promise<StatementResult> {
    if (limitMs <= 0) throw storeUnavailable();
    const bound = typeof values === 'function' ? values() : values;
    // Half a surrogate pair would reach the server as another character.
    for (const value of bound) if (typeof value === 'string') assertStorableText(value);
    const hadNames = this.#keepsNames();
    const [access, bounds] = typeof kind === 'string' ? [kind] : (['read', kind] as const);
    const isFirst = this.#transaction !== 'begun';
    const sentAt = performance.now();
    this.#isBusy = true;
    try {
      const result = await this.#send({ text, values: bound, limitMs, access, bounds });
      this.#suspects.clear(this.#client);
      return result;
    } catch (error) {
      if (isLost(error)) this.#breakDown(sentAt);
      else this.#suspects.clear(this.#client);
      if (isLostName(error) && hadNames) {
        this.#onLostName();
        // The statement did not run; in a transaction, those before it did, which is over.
        if (!isFirst) throw storeUnavailable(error);
        if (this.#transaction === 'begun') await this.#beginAgain();
        return await this.query(text, values, limitMs - (performance.now() - sentAt), kind);
      }
      if (!bounds) throw toStoreError(error);
      throw toQueryError(error, {
        tookMs: performance.now() - sentAt,
        limitMs: bounds.serverMs ?? this.#timeouts.statementMs,
      });
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Returns the connection to the pool; if a statement is in progress, it is closed, which rolls back its transaction.
   */
  release(): void {
    this.#returnToPool(this.#isBroken || this.#isBusy);
  }

  async #send(statement: BoundStatement): Promise<StatementResult> {
    const { text, values, limitMs, access, bounds } = statement;
    const isPooled = this.#isPooled();
    const isPlain = values.length === 0 && bounds === undefined && !(isPooled && this.#transaction === 'none');
    if (isPlain) {
      if (this.#transaction === 'due') await this.#beginAlone(limitMs);
      return this.#sendPlain({ text, query_timeout: limitMs });
    }
    const before = this.#takeBefore(access, bounds);
    return new Promise((resolve, reject) => {
      const onResult = (error: unknown, result?: StatementResult): void => (result ? resolve(result) : reject(error));
      const step = this.#toStep(text, values);
      this.#client.query(new Statement({ ...step, limitMs, bounds, before, isPooled, onResult }));
    });
  }

  /** Returns what has to run before a statement: what begins its transaction, and what limits it. */
  #takeBefore(access: Access, bounds: StatementBounds | undefined): readonly Step[] {
    const isPooled = this.#isPooled();
    if (this.#transaction === 'begun') return [];
    if (this.#transaction === 'due') {
      this.#transaction = 'begun';
      if (!isPooled) return [this.#toStep(begin.direct, [])];
      return [this.#toStep(begin.pooled, []), this.#toStep(this.#pooledSettings.transaction, [this.#origin])];
    }
    if (bounds !== undefined && bounds.serverMs !== null) return [this.#toStep(setLimit, [String(bounds.serverMs)])];
    if (!isPooled) return [];
    return [this.#toStep(this.#pooledSettings[access], access === 'read' ? [] : [this.#origin])];
  }

  #toStep(text: string, values: readonly SqlValue[]): Step {
    return { name: this.#keepsNames() ? this.#names.of(text) : '', text, values };
  }

  /** Begins the transaction without a statement, for those that can't bring it along. */
  #beginAlone(limitMs: number): Promise<StatementResult> {
    this.#transaction = 'begun';
    const query_timeout = limitMs;
    if (!this.#isPooled()) return this.#sendPlain({ text: begin.direct, query_timeout });
    const settings = this.#pooledSettings.transaction.replace('$1', `'${this.#origin}'`);
    return this.#sendPlain({ text: `${begin.pooled}; ${settings}`, query_timeout });
  }

  /** Leaves a transaction whose first statement did not run, so that it can begin again. */
  async #beginAgain(): Promise<void> {
    await this.#sendPlain({ text: 'ROLLBACK', query_timeout: this.#timeouts.callMs });
    this.#transaction = 'due';
  }

  /** Sends a text without values, such as `BEGIN`, which needs one message. */
  async #sendPlain(query: TimedQuery): Promise<StatementResult> {
    return { ...(await this.#client.query<SqlRow>(query)), isCut: false };
  }

  #breakDown(sentAt: number): void {
    this.#isBroken = true;
    this.#suspects.add(sentAt);
    this.#forget();
  }
}

/** A statement with its values. */
interface BoundStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly limitMs: number;
  readonly access: Access;
  readonly bounds: StatementBounds | undefined;
}

/** `query_timeout` is also documented for single queries, but missing from the types. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number;
}

/**
 * Knows which connections may be dead. A network or a server can disappear without notice; once a connection is lost
 * during a statement, every connection that has not answered since that statement was sent is suspect.
 */
export class SuspectConnections {
  readonly #heardAt = new WeakMap<object, number>();
  #since = -Infinity;

  /** Records that a connection has just answered. */
  clear(connection: object): void {
    this.#heardAt.set(connection, performance.now());
  }

  /** Records that a statement sent at that moment got no answer, or one that ends the connection. */
  add(sentAt: number): void {
    this.#since = Math.max(this.#since, sentAt);
  }

  /** Says whether a connection may be dead like another one. */
  includes(connection: object): boolean {
    return (this.#heardAt.get(connection) ?? Infinity) < this.#since;
  }
}

/** Closes a connection gracefully, or forcibly if the server has not answered in time. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => dropConnection(client), closeMs);
  await client.end();
  clearTimeout(timer);
}

/** Destroys the socket of a connection at once: pg itself waits for the other side, however long that is silent. */
export function dropConnection(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
