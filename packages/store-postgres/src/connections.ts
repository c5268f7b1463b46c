import { storeUnavailable, withTimeLimit } from '@x/store';
import pg from 'pg';

import { dropConnection } from './close-client.ts';
import { DoubtfulConnections } from './doubtful-connections.ts';
import { callMs, connectMs, idleInTransactionMs, statementMs } from './limits.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { StatementNames } from './statement-names.ts';
import { toStoreError } from './to-store-error.ts';

/** How long a connection may have nothing to do before it is closed. */
const idleMs = 30_000;

/**
 * What every connection goes by, whatever the server, its roles or databases have for a default: an acknowledged commit is
 * durable, each statement sees what was committed before it, and none takes for ever. PgBouncer refuses the same as parameters
 * of the start.
 */
const sessionSettings = `
  SELECT set_config('statement_timeout', '${statementMs}', false),
    set_config('lock_timeout', '${statementMs}', false),
    set_config('idle_in_transaction_session_timeout', '${idleInTransactionMs}', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
      ELSE current_setting('synchronous_commit') END, false),
    current_setting('transaction_read_only') AS read_only`;

/** Whoever waits for a connection: it is given one that was just handed back, or null where a new one has to be made. */
type Waiting = (client: pg.PoolClient | null) => void;

/**
 * The connections of this process: so many at most, each with a limit to everything that it may have to wait for. While
 * all are in use, one that is handed back goes to the next who waits, without the pool's housekeeping in between.
 */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #clients = new Set<pg.ClientBase>();
  readonly #names = new StatementNames();
  readonly #doubtful = new DoubtfulConnections();
  readonly #max: number;
  /** How many are in use, or are being made for somebody. */
  #inUse = 0;
  readonly #waiting = new Set<Waiting>();
  #isClosing = false;

  constructor(options: { readonly url: string; readonly max: number }) {
    this.#max = options.max;
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.max,
      connectionTimeoutMillis: callMs,
      Client,
      idleTimeoutMillis: idleMs,
      query_timeout: connectMs,
      keepAlive: true,
      verify: (client, done) => this.#prepare(client, done),
    });
    // A connection that is lost while nobody uses it is replaced when one is needed; unheard, these would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#clients.add(client);
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
  }

  /** Says whether a process of the server works for a connection of ours. */
  isOwn(processId: number): boolean {
    return [...this.#clients].some((client) => processIdOf(client) === processId);
  }

  /** Takes a connection, for whoever releases it again, within what a call may take. */
  async take(): Promise<PostgresConnection> {
    const endsAt = performance.now() + callMs;
    const handed = this.#enter() ? null : await this.#wait();
    const client = handed ?? (await this.#takeFromPool(endsAt));
    return new PostgresConnection(client, {
      names: this.#names,
      doubtful: this.#doubtful,
      // What it committed without an answer, its caller does not know of.
      forget: () => this.#clients.delete(client),
      release: (isBroken) => this.#release(client, isBroken),
    });
  }

  /** Closes every connection that is handed back in time, and drops those that are not, or whose server is silent. */
  async close(limitMs: number): Promise<void> {
    this.#isClosing = true;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, Math.max(1, limitMs));
    const ended = this.#pool.end().then(() => connectMs);
    const restMs = await Promise.race([ended, over.promise.then(() => 0)]);
    clearTimeout(timer);
    // Those that are being closed keep the process alive until then, the timer does not.
    setTimeout(() => this.#clients.forEach(dropConnection), restMs).unref();
  }

  /** Takes the right to a connection, where there is one left. */
  #enter(): boolean {
    if (this.#inUse >= this.#max) return false;
    this.#inUse += 1;
    return true;
  }

  /** Waits for a connection that somebody hands back, or, for null, for the right to one. */
  #wait(): Promise<pg.PoolClient | null> {
    return new Promise((resolve, reject) => {
      const enter: Waiting = (client) => {
        clearTimeout(timer);
        this.#waiting.delete(enter);
        resolve(client);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        reject(storeUnavailable());
      }, callMs);
      this.#waiting.add(enter);
    });
  }

  #release(client: pg.PoolClient, isBroken: boolean): void {
    const [next] = this.#waiting;
    if (next && !isBroken && !this.#isClosing && !this.#doubtful.includes(client)) return next(client);
    client.release(isBroken);
    this.#leave();
  }

  /** Gives up the right to a connection, to the next who waits. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next) next(null);
    else this.#inUse -= 1;
  }

  async #takeFromPool(endsAt: number): Promise<pg.PoolClient> {
    const taking = this.#takeClient(endsAt);
    try {
      // An idle one is there at once.
      return await (this.#pool.idleCount > 0 ? taking : withTimeLimit(endsAt - performance.now(), () => taking));
    } catch (error) {
      // One that comes too late for this caller is there for the next.
      taking.then((client) => client.release()).catch(() => undefined);
      this.#leave();
      throw toStoreError(error);
    }
  }

  /** Takes what the pool has, but for connections that are likely to be dead; a new one that takes long is tried again. */
  async #takeClient(endsAt: number): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        if (!isConnectTimeout(error) || performance.now() >= endsAt) throw error;
      });
      if (!client) continue;
      if (!this.#doubtful.includes(client)) return client;
      dropConnection(client);
      client.release(true);
    }
  }

  /** Makes a new connection ready; one that can't write, as on a server that failed over, is of no use. */
  #prepare(client: pg.ClientBase, done: (error?: Error) => void): void {
    client.query<Settings>(sessionSettings, (error, result) => {
      if (error) return done(error);
      if (result.rows[0]?.read_only !== 'off') return done(new Error('The database is read-only.'));
      this.#doubtful.clear(client);
      return done();
    });
  }
}

/** The pool has one limit for the wait for a connection and for a new one, which has to be shorter. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs });
  }
}

/** Says whether a new connection took too long; node-postgres has no code for it. */
function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout expired';
}

interface Settings {
  readonly read_only: string;
}

function processIdOf(client: pg.ClientBase): number {
  return (client as pg.ClientBase & { readonly processID: number }).processID;
}
