import { CodedError, ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import { withTimeLimit } from '@x/store/engine';
import pg from 'pg';
import { SuspectConnections, dropConnection, PostgresConnection } from './connection.ts';
import { toStoreError } from './errors.ts';
import { prepareLimit, StatementNames } from './named-statement.ts';
import { callMs, connectMs, idleInTransactionMs, lockMs, statementMs } from './timeouts.ts';

/** How long a connection may be idle before it is closed. */
const idleMs = 30_000;

/**
 * The settings of every connection, whatever the defaults of the server, role or database: an acknowledged commit is
 * durable, each statement sees what was committed before it, and none takes forever. PgBouncer would refuse the same
 * settings as startup parameters.
 */
const sessionSettings = `
  ${prepareLimit};
  SELECT set_config('statement_timeout', '${statementMs}', false),
    set_config('lock_timeout', '${lockMs}', false),
    set_config('idle_in_transaction_session_timeout', '${idleInTransactionMs}', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
      ELSE current_setting('synchronous_commit') END, false),
    current_setting('transaction_read_only') AS read_only`;

/** A caller that waits for a connection: it gets one that was just returned, or null if it has to open a new one. */
type Waiting = (client: pg.PoolClient | null) => void;

/**
 * The connections of this process: a limited number, with a time limit for everything that they may have to wait for.
 * While all are in use, a returned connection goes straight to the next waiting caller, without the pool's
 * housekeeping.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #clients = new Set<pg.ClientBase>();
  readonly #names = new StatementNames();
  readonly #suspects = new SuspectConnections();
  readonly #max: number;
  readonly #database: string;
  /** How many are in use, or are being opened for somebody. */
  #inUse = 0;
  readonly #waiting = new Set<Waiting>();
  #isClosing = false;

  constructor(options: { readonly url: string; readonly max: number }) {
    this.#max = options.max;
    this.#database = nameDatabase(options.url);
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
    // A connection that is lost while idle is replaced when one is needed; an unhandled event would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#clients.add(client);
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
  }

  /** Says whether a process of the server serves one of our connections. */
  isOwn(processId: number): boolean {
    return [...this.#clients].some((client) => processIdOf(client) === processId);
  }

  /** Takes a connection, which the caller must release, within the time limit of a call. */
  async take(): Promise<PostgresConnection> {
    const endsAt = performance.now() + callMs;
    const returned = this.#acquirePermit() ? null : await this.#wait();
    const client = returned ?? (await this.#takeFromPool(endsAt));
    return new PostgresConnection(client, {
      names: this.#names,
      suspects: this.#suspects,
      // The caller does not know what it committed without an answer.
      forget: () => this.#clients.delete(client),
      release: (isBroken) => this.#release(client, isBroken),
    });
  }

  /** Closes every connection that is returned in time, and drops those that are not, or whose server is silent. */
  async close(limitMs: number): Promise<void> {
    this.#isClosing = true;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, Math.max(1, limitMs));
    const ended = this.#pool.end().then(() => connectMs);
    const restMs = await Promise.race([ended, over.promise.then(() => 0)]);
    clearTimeout(timer);
    // Connections that are being closed keep the process alive until then, which the timer does not.
    setTimeout(() => this.#clients.forEach(dropConnection), restMs).unref();
  }

  /** Takes a permit for a connection, if one is left. */
  #acquirePermit(): boolean {
    if (this.#inUse >= this.#max) return false;
    this.#inUse += 1;
    return true;
  }

  /** Waits for a connection that somebody returns, or, for null, for a permit to open one. */
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
    if (next && !isBroken && !this.#isClosing && !this.#suspects.includes(client)) return next(client);
    client.release(isBroken);
    this.#releasePermit();
  }

  /** Returns the permit for a connection, to the next waiting caller. */
  #releasePermit(): void {
    const [next] = this.#waiting;
    if (next) next(null);
    else this.#inUse -= 1;
  }

  async #takeFromPool(endsAt: number): Promise<pg.PoolClient> {
    const taking = this.#takeClient(endsAt);
    try {
      // An idle one is available synchronously.
      return await (this.#pool.idleCount > 0 ? taking : withTimeLimit(endsAt - performance.now(), () => taking));
    } catch (error) {
      // If it comes too late for this caller, it is there for the next.
      taking.then((client) => client.release()).catch(() => undefined);
      this.#releasePermit();
      throw this.#named(toStoreError(error));
    }
  }

  /** Tells the log which database could not be reached; callers learn only that something is unavailable. */
  #named(error: unknown): unknown {
    if (!(error instanceof CodedError) || error.status !== 503) return error;
    const { cause } = error;
    return storeUnavailable(new Error(`The database ${this.#database} cannot be used: ${reasonOf(cause)}`, { cause }));
  }

  /**
   * Takes a connection from the pool, except those that are likely dead; a new one that takes too long is tried again.
   */
  async #takeClient(endsAt: number): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        if (!isConnectTimeout(error) || performance.now() >= endsAt) throw error;
      });
      if (!client) continue;
      if (!this.#suspects.includes(client)) return client;
      dropConnection(client);
      client.release(true);
    }
  }

  /** Prepares a new connection; one that can't write, as on a server that failed over, is useless. */
  #prepare(client: pg.ClientBase, done: (error?: Error) => void): void {
    client.query<Settings>(sessionSettings, (error, results) => {
      if (error) return done(error);
      // One for each statement of the text, which the types of pg do not know.
      const [, settings] = results as unknown as readonly pg.QueryResult<Settings>[];
      if (settings?.rows[0]?.read_only !== 'off') return done(new Error('The database is read-only.'));
      this.#suspects.clear(client);
      return done();
    });
  }
}

/** The pool has a single limit for the wait for a connection and for opening one, which has to be shorter. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs });
  }
}

/**
 * Names the database of a URL, without any credentials.
 *
 * @throws ConfigurationError if it cannot be parsed; without a cause, because Node's error would contain the password
 */
function nameDatabase(url: string): string {
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    return `${database} on ${host}:${port}`;
  } catch (error) {
    throw new ConfigurationError([`url: ${describeUrlProblem(error)}`]);
  }
}

/** The URL may name files of certificates. */
function describeUrlProblem(error: unknown): string {
  if (error instanceof Error && 'path' in error && typeof error.path === 'string') {
    return `the file ${error.path} that it names cannot be read; it must exist and be readable for this process.`;
  }
  return 'cannot be parsed; it must be postgres://user:password@host:port/database.';
}

/** A name that has several addresses fails with one error for each, and no words of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : 'it does not answer in time.';
}

/** Says whether a new connection took too long; node-postgres has no code for that. */
function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout expired';
}

interface Settings {
  readonly read_only: string;
}

function processIdOf(client: pg.ClientBase): number {
  return (client as pg.ClientBase & { readonly processID: number }).processID;
}
