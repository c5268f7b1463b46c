import pg from 'pg';

import { connectMs, idleInTransactionMs, statementMs } from './limits.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { StatementNames } from './statement-names.ts';
import { toStoreError } from './to-store-error.ts';

/** How long a connection may have nothing to do before it is closed. */
const idleMs = 30_000;

/**
 * What every connection goes by, whatever the server, its roles or databases have for a default: an acknowledged commit is
 * durable, and each statement sees what was committed before it.
 */
const sessionSettings = `
  SELECT set_config('default_transaction_isolation', 'read committed', false),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
      ELSE current_setting('synchronous_commit') END, false)`;

/** The connections of this process: so many at most, each with a limit to everything that it may have to wait for. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #names = new StatementNames();
  readonly #processIds = new Set<number>();

  constructor(options: { readonly url: string; readonly max: number }) {
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.max,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: idleMs,
      statement_timeout: statementMs,
      lock_timeout: statementMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      query_timeout: connectMs,
      keepAlive: true,
      verify: (client, done) => client.query(sessionSettings, (error) => done(error)),
    });
    // A connection that is lost while nobody uses it is replaced when one is needed; unheard, these would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#processIds.add(processIdOf(client));
    });
    this.#pool.on('remove', (client) => this.#processIds.delete(processIdOf(client)));
  }

  /** Says whether a process of the server works for a connection of ours. */
  isOwn(processId: number): boolean {
    return this.#processIds.has(processId);
  }

  /** Takes a connection, for whoever releases it again. */
  async take(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect(), this.#names);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Closes every connection that is handed back; those that are kept too long stay behind. */
  async close(limitMs: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, limitMs);
    await Promise.race([this.#pool.end(), over.promise]);
    clearTimeout(timer);
  }
}

function processIdOf(client: pg.ClientBase): number {
  return (client as pg.ClientBase & { readonly processID: number }).processID;
}
