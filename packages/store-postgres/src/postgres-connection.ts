import type { SqlRow, SqlValues } from '@x/store-sql';
import pg from 'pg';

import type { StatementNames } from './statement-names.ts';
import { toStoreError } from './to-store-error.ts';

/** What a statement answered. */
export type StatementResult = pg.QueryResult<SqlRow>;

/** A connection that was taken from the pool, for one statement at a time. It throws the errors of the store contracts. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  #isBusy = false;
  #isBroken = false;

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  /** Whether nothing more can be said on it, because it was lost or an answer did not come in time. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether a statement is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Runs a statement; where it takes longer than `limitMs`, nobody waits for it any more. */
  async query(text: string, values: SqlValues, limitMs: number): Promise<StatementResult> {
    const bound = typeof values === 'function' ? values() : values;
    const name = bound.length > 0 ? this.#names.of(text) : undefined;
    this.#isBusy = true;
    try {
      const query: TimedQuery = {
        text,
        values: [...bound],
        query_timeout: Math.max(1, limitMs),
        ...(name && { name }),
      };
      return await this.#client.query(query);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.#isBroken = true;
      throw toStoreError(error);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Hands the connection back; one with a statement under way is closed, which undoes its transaction. */
  release(): void {
    this.#client.release(this.#isBroken || this.#isBusy);
  }
}

/** `query_timeout` is documented for single queries, too, but missing from the types. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number;
}
