import { storeUnavailable } from '@x/store';
import { assertStorableText } from '@x/store/engine';
import type { SqlRow, SqlValue, SqlValues } from '@x/store-sql';
import pg from 'pg';
import { isLost, isOfPooler, toQueryError, toStoreError } from './errors.ts';
import { toPooledBegin, toPooledSettings } from './settings.ts';
import { Statement, type StatementBounds, type StatementNames, type StatementResult } from './statement.ts';
import { connectMs, statementMs } from './timeouts.ts';

/** A connection taken from the pool, for one statement at a time. It throws the errors of the store contracts. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #suspects: SuspectConnections;
  readonly #isPooled: () => boolean;
  readonly #origin: string;
  readonly #onPooler: () => void;
  readonly #forget: () => void;
  readonly #returnToPool: (isBroken: boolean) => void;
  #isBusy = false;
  #isBroken = false;
  /** Whether statements are part of a transaction that was begun. */
  #isInTransaction = false;

  constructor(
    client: pg.PoolClient,
    shared: {
      readonly names: StatementNames;
      readonly suspects: SuspectConnections;
      /** Whether a pooler may give each transaction another connection to the server. */
      readonly isPooled: () => boolean;
      /** Names the connection. */
      readonly origin: string;
      /** Called when an error shows that there is a pooler. */
      readonly onPooler: () => void;
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
    this.#origin = shared.origin;
    this.#onPooler = shared.onPooler;
    this.#forget = shared.forget;
    this.#returnToPool = shared.release;
  }

  /** Whether the connection is unusable, because it was lost or a response did not come in time. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The client of pg. */
  get client(): pg.PoolClient {
    return this.#client;
  }

  /** Whether a statement is in progress. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Begins a transaction, of which all further statements are part. */
  async begin(limitMs: number): Promise<void> {
    this.#isInTransaction = true;
    await this.query(this.#isPooled() ? toPooledBegin(this.#origin) : 'BEGIN', [], limitMs);
  }

  /**
   * Runs a statement, but stops waiting after `limitMs`. Without any time left it is not sent.
   *
   * @param bounds - those of a query, which is `QUERY_TOO_EXPENSIVE` if the server ends it
   */
  async query(text: string, values: SqlValues, limitMs: number, bounds?: StatementBounds): Promise<StatementResult> {
    if (limitMs <= 0) throw storeUnavailable();
    const bound = typeof values === 'function' ? values() : values;
    // Half a surrogate pair would reach the server as another character.
    for (const value of bound) if (typeof value === 'string') assertStorableText(value);
    const wasPooled = this.#isPooled();
    const sentAt = performance.now();
    this.#isBusy = true;
    try {
      const result = await this.#send({ text, values: bound, limitMs, bounds });
      this.#suspects.clear(this.#client);
      return result;
    } catch (error) {
      if (isLost(error)) this.#breakDown(sentAt);
      else this.#suspects.clear(this.#client);
      if (isOfPooler(error) && !wasPooled) {
        this.#onPooler();
        // The statement did not run; in a transaction, those before it did, which is over.
        if (this.#isInTransaction) throw storeUnavailable(error);
        return await this.query(text, values, limitMs - (performance.now() - sentAt), bounds);
      }
      if (!bounds) throw toStoreError(error);
      throw toQueryError(error, { tookMs: performance.now() - sentAt, limitMs: bounds.serverMs ?? statementMs });
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

  #send(statement: BoundStatement): Promise<StatementResult> {
    const { text, values, limitMs, bounds } = statement;
    const isPooled = this.#isPooled();
    const needsSettings = isPooled && !this.#isInTransaction;
    const isPlain = values.length === 0 && bounds === undefined && !needsSettings;
    if (isPlain) return this.#sendPlain({ text, query_timeout: limitMs });
    const name = isPooled ? '' : this.#names.of(text);
    const settings = needsSettings ? toPooledSettings(this.#origin, bounds?.serverMs ?? null) : undefined;
    return new Promise((resolve, reject) => {
      const onResult = (error: unknown, result?: StatementResult): void => (result ? resolve(result) : reject(error));
      this.#client.query(new Statement({ ...statement, name, settings, onResult }));
    });
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

/** Closes a connection gracefully, or forcibly if the server has not answered within a second. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => dropConnection(client), connectMs);
  await client.end();
  clearTimeout(timer);
}

/** Destroys the socket of a connection at once: pg itself waits for the other side, however long that is silent. */
export function dropConnection(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
