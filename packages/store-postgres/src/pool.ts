import { CodedError, ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import { withTimeLimit } from '@x/store/engine';
import { reasonOf } from '@x/store-sql';
import pg from 'pg';
import { dropConnection, ignore, ownTypes } from './client.ts';
import { type PgQuery, PostgresConnection } from './connection.ts';
import { isLost, toStoreError } from './errors.ts';
import { assertWritable, type DatabaseHosts, type Host } from './hosts.ts';
import { keepsNames, Pooler, StatementNames } from './pooler.ts';
import { type ConnectionFacts, selectConnectionFacts, toStartLimits } from './settings.ts';
import { closeMs, type Timeouts } from './timeouts.ts';

/** How long a connection may be idle before it is closed. */
const idleMs = 30_000;

interface PoolOptions {
  readonly hosts: DatabaseHosts;
  /** The most connections. */
  readonly max: number;
  /** A pool of the app to take connections from, which stays open. Default: the stores open their own. */
  readonly given?: pg.Pool | undefined;
  /** Whether a pooler is between this process and the server; `auto`: it is detected. */
  readonly pooled: boolean | 'auto';
  readonly timeouts: Timeouts;
}

/** The pg pool of the server that takes writes. */
interface ServerPool {
  readonly host: Host;
  readonly pool: pg.Pool;
  /** Whether its connections start with settings. */
  readonly hasSettings: boolean;
}

/**
 * The connections of this process. Their number is limited, every wait of theirs has a time limit, and all lead to the
 * server that takes writes.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #pooler: Readonly<Pooler>;
  /**
   * When each connection last answered. A network or a server can disappear without notice. Once a connection is lost
   * during a statement, every connection that has not answered since that statement was sent may be dead, too.
   */
  readonly #answeredAt = new WeakMap<pg.PoolClient, number>();
  #latestAnswerAt = -Infinity;
  #suspectSince = -Infinity;
  /** The name of the database in the log. */
  readonly database: string;
  #current: ServerPool | undefined;
  /** The open connections, except those of a pool of the app. */
  readonly #open = new Set<pg.ClientBase>();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#pooler = new Pooler(options.pooled, options.given ? null : new StatementNames());
    this.database = nameDatabase(options.hosts.all);
  }

  /** Callers have limits of their own, and a connection that is late for one may serve the next. */
  get #connectMs(): number {
    const { connectMs, callMs } = this.#options.timeouts;
    return Math.max(connectMs, callMs);
  }

  /** Says whether the server has answered any statement since a moment, on the clock of `performance`. */
  hasAnsweredSince(moment: number): boolean {
    return this.#latestAnswerAt > moment;
  }

  /** Takes a connection, which the caller must release. */
  async take(endsAt: number): Promise<PostgresConnection> {
    const taking = this.#takeSound(endsAt);
    try {
      return await withTimeLimit(endsAt - performance.now(), () => taking);
    } catch (error) {
      // A connection that is late for this caller serves the next.
      taking.then((connection) => connection.release()).catch(() => undefined);
      throw this.#named(toStoreError(error));
    }
  }

  /** Closes every connection that is returned in time, and drops the others and those whose server is silent. */
  async close(limitMs: number): Promise<void> {
    const { pool } = this.#current ?? {};
    if (!pool) return;
    const ended = withTimeLimit(limitMs, () => pool.end()).then(() => closeMs);
    const restMs = await ended.catch(() => 0);
    // Closing connections keep the process alive until then, but the timer does not.
    setTimeout(() => [...this.#open].forEach(dropConnection), restMs).unref();
  }

  /**
   * Takes a connection that is not suspect. If that detects a pooler, or one of several servers is lost, it tries
   * again, on the server that takes writes then.
   */
  async #takeSound(endsAt: number): Promise<PostgresConnection> {
    const { hosts } = this.#options;
    for (;;) {
      const host = await hosts.locate();
      const { pool, hasSettings } = this.#poolOf(host);
      try {
        const client = await pool.connect();
        if ((this.#answeredAt.get(client) ?? Infinity) >= this.#suspectSince) {
          return this.#toConnection(client, host, endsAt);
        }
        dropConnection(client);
        client.release(true);
      } catch (error) {
        if (hasSettings && this.#pooler.detectFromStart(error)) continue;
        if (isLost(error)) hosts.lose(host);
        if (!isLost(error) || !hosts.areSeveral || performance.now() >= endsAt) throw error;
      }
    }
  }

  #toConnection(client: pg.PoolClient, host: Host, firstEndsAt: number): PostgresConnection {
    const { given, timeouts, hosts } = this.#options;
    // The statement in progress reports a loss.
    if (given) client.on('error', ignore);
    return new PostgresConnection(client, {
      pooler: this.#pooler,
      timeouts,
      isGiven: given !== undefined,
      firstEndsAt,
      onAnswer: () => {
        this.#latestAnswerAt = performance.now();
        this.#answeredAt.set(client, this.#latestAnswerAt);
      },
      onLost: (sentAt) => {
        this.#suspectSince = Math.max(this.#suspectSince, sentAt);
        hosts.lose(host);
      },
      release: (isUnusable) => {
        if (given) client.off('error', ignore);
        client.release(isUnusable);
      },
    });
  }

  /** Returns the pool of a server. A pool that it replaces closes its connections as they are released. */
  #poolOf(host: Host): ServerPool {
    const { given, hosts, max, timeouts } = this.#options;
    if (given) return { host, pool: given, hasSettings: false };
    const hasSettings = !this.#pooler.isPresent;
    const current = this.#current;
    if (current?.host === host && current.hasSettings === hasSettings && !this.#pooler.names?.isFull) return current;
    void current?.pool.end();
    const pool = new pg.Pool({
      ...host,
      ...(hasSettings && toStartLimits(timeouts)),
      max,
      connectionTimeoutMillis: this.#connectMs,
      idleTimeoutMillis: idleMs,
      keepAlive: true,
      pipeline: true,
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say
      onConnect: (client) => this.#prepare(client),
    });
    // A connection that is lost while idle is replaced when one is needed. An unhandled event would end the process.
    pool.on('error', () => hosts.lose(host));
    pool.on('connect', (client) => this.#open.add(client.on('error', ignore)));
    pool.on('remove', (client) => this.#open.delete(client));
    this.#pooler.names?.clear();
    this.#current = { host, pool, hasSettings };
    return this.#current;
  }

  /** Prepares a new connection. One that can't write, as on a server that failed over, is refused. */
  async #prepare(client: pg.ClientBase): Promise<void> {
    const limit = this.#pooler.isPresent ? null : String(this.#options.timeouts.statementMs);
    const query: PgQuery = {
      text: selectConnectionFacts,
      values: [limit],
      types: ownTypes,
      query_timeout: this.#connectMs,
    };
    const { rows } = await client.query<ConnectionFacts>(query);
    assertWritable(rows[0]);
    if (rows[0]?.is_pooled !== true) return;
    assertReadsCommitted(rows[0]);
    this.#pooler.found({ keepsNames: await keepsNames(client), isAsNeeded: rows[0].is_as_needed });
  }

  /** Names the database for the log. Callers learn only that the service is unavailable. */
  #named(error: unknown): unknown {
    if (!(error instanceof CodedError) || error.status !== 503) return error;
    const { cause } = error;
    return storeUnavailable(new Error(`The database ${this.database} cannot be used: ${reasonOf(cause)}`, { cause }));
  }
}

/** The isolation of a single statement is the default, which must not be changed for other clients of the pooler. */
function assertReadsCommitted({ isolation }: ConnectionFacts): void {
  if (isolation === 'read committed') return;
  throw new Error(
    'Behind a pooler, default_transaction_isolation must be read committed; ALTER ROLE … SET changes that of a role.',
  );
}

/**
 * Names the database of a URL, without any credentials.
 *
 * @throws ConfigurationError if it cannot be parsed; without a cause, because Node's error would contain the password
 */
function nameDatabase(hosts: readonly Host[]): string {
  try {
    const clients = hosts.map((host) => new pg.Client(host));
    return `${clients[0]?.database} on ${clients.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  } catch (error) {
    throw new ConfigurationError([`url: ${describeUrlProblem(error)}`]);
  }
}

/** Parses a URL, which may name files of certificates. */
function describeUrlProblem(error: unknown): string {
  if (error instanceof Error && 'path' in error && typeof error.path === 'string') {
    return `the file ${error.path} that it names cannot be read; it must exist and be readable for this process.`;
  }
  return 'cannot be parsed; it must be postgres://user:password@host:port/database.';
}
