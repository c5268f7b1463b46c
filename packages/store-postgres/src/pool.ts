import { CodedError, ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import { withTimeLimit } from '@x/store/engine';
import pg from 'pg';
import { dropConnection, ignore } from './client.ts';
import { PostgresConnection, SuspectConnections, type TimedQuery } from './connection.ts';
import { isLost, reasonOf, toStoreError } from './errors.ts';
import { assertWritable, type DatabaseHosts, type Host } from './hosts.ts';
import { keepsNames, Pooler, StatementNames } from './pooler.ts';
import { type ConnectionFacts, selectConnectionFacts, toStartLimits } from './settings.ts';
import { closeMs, type Timeouts } from './timeouts.ts';
import { ownTypes } from './types.ts';

/** How long a connection may be idle before it is closed. */
const idleMs = 30_000;

interface PoolOptions {
  readonly hosts: DatabaseHosts;
  /** The most connections. */
  readonly max: number;
  /** A pool of the app to take them from, which stays open. Default: one of its own. */
  readonly given?: pg.Pool | undefined;
  /** Whether a pooler is between this process and the server; `auto`: it shows. */
  readonly pooled: boolean | 'auto';
  readonly timeouts: Timeouts;
}

/** The pool of pg to one server, as long as that takes writes. */
interface ServerPool {
  readonly host: Host;
  readonly pool: pg.Pool;
  /** Whether its connections start with settings. */
  readonly hasSettings: boolean;
  readonly names: StatementNames;
}

/**
 * The connections of this process: a limited number, with a time limit for everything that they may have to wait for,
 * and all of them to the server that takes writes.
 */
export class ConnectionPool {
  readonly #hosts: DatabaseHosts;
  readonly #timeouts: Timeouts;
  readonly #max: number;
  /** The pool of the app, which uses the same connections. */
  readonly #given: pg.Pool | undefined;
  readonly #pooler: Pooler;
  readonly #suspects = new SuspectConnections();
  /** What the log calls the database. */
  readonly database: string;
  #current: ServerPool | undefined;
  /** The connections of our own that are open. */
  readonly #open = new Set<pg.ClientBase>();

  constructor({ hosts, max, given, pooled, timeouts }: PoolOptions) {
    this.#hosts = hosts;
    this.#timeouts = timeouts;
    this.#max = max;
    this.#given = given;
    this.#pooler = new Pooler(pooled);
    this.database = nameDatabase(hosts.all);
  }

  /** Whoever waits has a limit of their own; a connection may still be of use to the next. */
  get #connectMs(): number {
    return Math.max(this.#timeouts.connectMs, this.#timeouts.callMs);
  }

  /** Whether a pooler is there, as far as connections have shown. */
  get isPooled(): boolean {
    return this.#pooler.isPresent;
  }

  /** Takes a connection, of which one is not in use. The caller must release it. */
  async take(endsAt: number): Promise<PostgresConnection> {
    const taking = this.#takeSound(endsAt);
    try {
      return await withTimeLimit(endsAt - performance.now(), () => taking);
    } catch (error) {
      // If it comes too late for this caller, it is there for the next.
      taking.then((connection) => connection.release()).catch(() => undefined);
      throw this.#named(toStoreError(error));
    }
  }

  /** Closes every connection that is returned in time, and drops those that are not, or whose server is silent. */
  async close(limitMs: number): Promise<void> {
    const { pool } = this.#current ?? {};
    if (!pool) return;
    const ended = withTimeLimit(limitMs, () => pool.end()).then(() => closeMs);
    const restMs = await ended.catch(() => 0);
    // Connections that are being closed keep the process alive until then, which the timer does not.
    setTimeout(() => [...this.#open].forEach(dropConnection), restMs).unref();
  }

  /**
   * Takes a connection that is not likely dead. Another attempt is made where a pooler has shown, and where one of several
   * servers was lost, for that which takes writes instead.
   */
  async #takeSound(endsAt: number): Promise<PostgresConnection> {
    for (;;) {
      const host = await this.#hosts.locate();
      const { pool, names, hasSettings } = this.#poolOf(host);
      try {
        const client = await pool.connect();
        if (!this.#suspects.includes(client)) return this.#toConnection(client, host, names);
        dropConnection(client);
        client.release(true);
      } catch (error) {
        if (hasSettings && this.#pooler.detectFromStart(error)) continue;
        if (isLost(error)) this.#hosts.lose(host);
        if (!isLost(error) || !this.#hosts.areSeveral || performance.now() >= endsAt) throw error;
      }
    }
  }

  #toConnection(client: pg.PoolClient, host: Host, names: StatementNames): PostgresConnection {
    // The statement in progress reports a loss.
    if (this.#given) client.on('error', ignore);
    const shared = {
      ...{ pooler: this.#pooler, names, suspects: this.#suspects, timeouts: this.#timeouts },
      isGiven: this.#given !== undefined,
      onLost: () => this.#hosts.lose(host),
    };
    return new PostgresConnection(client, shared, (isBroken) => {
      if (this.#given) client.off('error', ignore);
      client.release(isBroken);
    });
  }

  /** Returns the pool to a server. One that it takes the place of closes its connections as they come back. */
  #poolOf(host: Host): ServerPool {
    if (this.#given) return { host, pool: this.#given, hasSettings: false, names: unused };
    const hasSettings = !this.#pooler.refusesSettings;
    const current = this.#current;
    if (current?.host === host && current.hasSettings === hasSettings && !current.names.isFull) return current;
    void current?.pool.end();
    const pool = new pg.Pool({
      ...host,
      ...(hasSettings && toStartLimits(this.#timeouts)),
      max: this.#max,
      connectionTimeoutMillis: this.#connectMs,
      idleTimeoutMillis: idleMs,
      keepAlive: true,
      pipeline: true,
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say
      onConnect: (client) => this.#prepare(client),
    });
    // A connection that is lost while idle is replaced when one is needed; an unhandled event would end the process.
    pool.on('error', () => this.#hosts.lose(host));
    pool.on('connect', (client) => this.#open.add(client.on('error', ignore)));
    pool.on('remove', (client) => this.#open.delete(client));
    this.#current = { host, pool, hasSettings, names: new StatementNames() };
    return this.#current;
  }

  /** Prepares a new connection; one that can't write, as on a server that failed over, is useless. */
  async #prepare(client: pg.ClientBase): Promise<void> {
    const limit = this.#pooler.isPresent ? null : String(this.#timeouts.statementMs);
    const query: TimedQuery = {
      ...{ text: selectConnectionFacts, values: [limit], types: ownTypes },
      query_timeout: this.#connectMs,
    };
    const { rows } = await client.query<ConnectionFacts>(query);
    assertWritable(rows[0]);
    if (rows[0]?.is_pooled !== true) return;
    assertReadsCommitted(rows[0]);
    this.#pooler.found({ keepsNames: await keepsNames(client), isAsNeeded: rows[0].is_as_needed });
  }

  /** Tells the log which database could not be reached; callers learn only that something is unavailable. */
  #named(error: unknown): unknown {
    if (!(error instanceof CodedError) || error.status !== 503) return error;
    const { cause } = error;
    return storeUnavailable(new Error(`The database ${this.database} cannot be used: ${reasonOf(cause)}`, { cause }));
  }
}

/** On the connections of the app, no statement has a name. */
const unused = new StatementNames();

/** A statement of its own runs under the default, which others on its server connection may not find changed. */
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

/** The URL may name files of certificates. */
function describeUrlProblem(error: unknown): string {
  if (error instanceof Error && 'path' in error && typeof error.path === 'string') {
    return `the file ${error.path} that it names cannot be read; it must exist and be readable for this process.`;
  }
  return 'cannot be parsed; it must be postgres://user:password@host:port/database.';
}
