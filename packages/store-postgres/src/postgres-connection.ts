import { assertStorableText, storeUnavailable } from '@x/store';
import type { SqlRow, SqlValue, SqlValues } from '@x/store-sql';
import pg from 'pg';

import type { DoubtfulConnections } from './doubtful-connections.ts';
import { NamedStatement, type StatementResult } from './named-statement.ts';
import type { StatementNames } from './statement-names.ts';
import { toStoreError } from './to-store-error.ts';

/** A connection that was taken from the pool, for one statement at a time. It throws the errors of the store contracts. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #doubtful: DoubtfulConnections;
  readonly #forget: () => void;
  readonly #giveBack: (isBroken: boolean) => void;
  #isBusy = false;
  #isBroken = false;

  constructor(
    client: pg.PoolClient,
    shared: {
      readonly names: StatementNames;
      readonly doubtful: DoubtfulConnections;
      /** Hears that the connection was lost. */
      readonly forget: () => void;
      /** Takes the connection back, which is closed where it is of no more use. */
      readonly release: (isBroken: boolean) => void;
    },
  ) {
    this.#client = client;
    this.#names = shared.names;
    this.#doubtful = shared.doubtful;
    this.#forget = shared.forget;
    this.#giveBack = shared.release;
  }

  /** Whether nothing more can be said on it, because it was lost or an answer did not come in time. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether a statement is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Runs a statement; where it takes longer than `limitMs`, nobody waits for it any more. With no time left it is not sent. */
  async query(text: string, values: SqlValues, limitMs: number): Promise<StatementResult> {
    if (limitMs <= 0) throw storeUnavailable();
    const bound = typeof values === 'function' ? values() : values;
    // Half a surrogate pair would reach the server as something else.
    for (const value of bound) if (typeof value === 'string') assertStorableText(value);
    const sentAt = performance.now();
    this.#isBusy = true;
    try {
      const result = await this.#send(text, bound, limitMs);
      this.#doubtful.clear(this.#client);
      return result;
    } catch (error) {
      if (isAnswer(error)) this.#doubtful.clear(this.#client);
      else this.#breakDown(sentAt);
      throw toStoreError(error);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Hands the connection back; one with a statement under way is closed, which undoes its transaction. */
  release(): void {
    this.#giveBack(this.#isBroken || this.#isBusy);
  }

  #send(text: string, values: readonly SqlValue[], limitMs: number): Promise<StatementResult> {
    const name = values.length > 0 ? this.#names.of(text) : undefined;
    if (name === undefined) return this.#sendUnnamed({ text, values: [...values], query_timeout: limitMs });
    return new Promise((resolve, reject) => {
      const onAnswer = (error: unknown, result?: StatementResult): void => (result ? resolve(result) : reject(error));
      this.#client.query(new NamedStatement({ name, text, values, limitMs, onAnswer }));
    });
  }

  #sendUnnamed(query: TimedQuery): Promise<StatementResult> {
    return this.#client.query<SqlRow>(query);
  }

  #breakDown(sentAt: number): void {
    this.#isBroken = true;
    this.#doubtful.add(sentAt);
    this.#forget();
  }
}

/**
 * The SQLSTATEs after which a connection is good for nothing: the server ends it, or it is read-only, as all that were
 * made while the server was.
 */
const lastWords = /^(57P|25P03|25P04|25006)/;

/** Says whether the server answered, and will answer again on this connection. */
function isAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !lastWords.test(error.code ?? '');
}

/** `query_timeout` is documented for single queries, too, but missing from the types. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number;
}
