import { storeUnavailable } from '@x/store';
import { assertStorableText } from '@x/store/engine';
import type { SqlRow, SqlValue, SqlValues } from '@x/store-sql';
import pg from 'pg';
import { toStoreError } from './errors.ts';
import { NamedStatement, type StatementNames, type StatementResult } from './named-statement.ts';
import { connectMs } from './timeouts.ts';

/** A connection taken from the pool, for one statement at a time. It throws the errors of the store contracts. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #suspects: SuspectConnections;
  readonly #forget: () => void;
  readonly #returnToPool: (isBroken: boolean) => void;
  #isBusy = false;
  #isBroken = false;

  constructor(
    client: pg.PoolClient,
    shared: {
      readonly names: StatementNames;
      readonly suspects: SuspectConnections;
      /** Called when the connection is lost. */
      readonly forget: () => void;
      /** Returns the connection to the pool, which closes it if it is broken. */
      readonly release: (isBroken: boolean) => void;
    },
  ) {
    this.#client = client;
    this.#names = shared.names;
    this.#suspects = shared.suspects;
    this.#forget = shared.forget;
    this.#returnToPool = shared.release;
  }

  /** Whether the connection is unusable, because it was lost or a response did not come in time. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether a statement is in progress. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Runs a statement, but stops waiting after `limitMs`. Without any time left it is not sent. */
  async query(text: string, values: SqlValues, limitMs: number): Promise<StatementResult> {
    if (limitMs <= 0) throw storeUnavailable();
    const bound = typeof values === 'function' ? values() : values;
    // Half a surrogate pair would reach the server as another character.
    for (const value of bound) if (typeof value === 'string') assertStorableText(value);
    const sentAt = performance.now();
    this.#isBusy = true;
    try {
      const result = await this.#send(text, bound, limitMs);
      this.#suspects.clear(this.#client);
      return result;
    } catch (error) {
      if (isUsableAfter(error)) this.#suspects.clear(this.#client);
      else this.#breakDown(sentAt);
      throw toStoreError(error);
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

  #send(text: string, values: readonly SqlValue[], limitMs: number): Promise<StatementResult> {
    const name = values.length > 0 ? this.#names.of(text) : undefined;
    if (name === undefined) return this.#sendUnnamed({ text, values: [...values], query_timeout: limitMs });
    return new Promise((resolve, reject) => {
      const onResult = (error: unknown, result?: StatementResult): void => (result ? resolve(result) : reject(error));
      this.#client.query(new NamedStatement({ name, text, values, limitMs, onResult }));
    });
  }

  #sendUnnamed(query: TimedQuery): Promise<StatementResult> {
    return this.#client.query<SqlRow>(query);
  }

  #breakDown(sentAt: number): void {
    this.#isBroken = true;
    this.#suspects.add(sentAt);
    this.#forget();
  }
}

/**
 * The SQLSTATEs after which a connection is unusable: the server ends it, or it is read-only, like all connections
 * opened while the server was.
 */
const fatalStates = /^(57P|25P03|25P04|25006)/;

/** Says whether the server answered, and will answer again on this connection. */
function isUsableAfter(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !fatalStates.test(error.code ?? '');
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
