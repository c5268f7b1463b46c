import { randomUUID } from 'node:crypto';
import { CodedError, ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import { withTimeLimit } from '@x/store/engine';
import pg from 'pg';
import { SuspectConnections, dropConnection, PostgresConnection } from './connection.ts';
import { isLost, toStoreError } from './errors.ts';
import { assertWritable, type DatabaseHosts, type Host } from './hosts.ts';
import {
  type ConnectionFacts,
  type PooledSettings,
  probeName,
  selectConnectionSettings,
  toPooledSettings,
} from './settings.ts';
import { Statement, StatementNames, type StatementResult } from './statement.ts';
import { closeMs, type Timeouts } from './timeouts.ts';

/** How long a connection may be idle before it is closed. */
const idleMs = 30_000;

interface PoolOptions {
  readonly hosts: DatabaseHosts;
  /** The most connections. */
  readonly max: number;
  /** A pool of the app to take them from, which stays open. Default: one of its own. */
  readonly given?: pg.Pool | undefined;
  /** Whether a pooler is between this process and the server; `auto`: a connection tells. */
  readonly pooled: boolean | 'auto';
  readonly timeouts: Timeouts;
  /** Called with the origin of a connection of which it is not known any more what it committed. */
  readonly onForgotten: (origin: string) => void;
}

/** A caller that waits for a connection: it gets one that was just returned, or null if it has to open a new one. */
type Waiting = (client: pg.PoolClient | null) => void;

/**
 * The connections of this process: a limited number, with a time limit for everything that they may have to wait for,
 * and all of them to the server that takes writes.
 * While all are in use, a returned connection goes straight to the next waiting caller, without the pool's
 * housekeeping.
 */
export class ConnectionPool {
  readonly #hosts: DatabaseHosts;
  readonly #timeouts: Timeouts;
  readonly #pooledSettings: PooledSettings;
  readonly #pool: pg.Pool;
  /** Whether the pool is that of the app, which uses the same connections. */
  readonly #isGiven: boolean;
  /** What revocations name the connections by. */
  readonly #origins = new Map<pg.ClientBase, string>();
  /** Those of connections of which it is known what they committed. */
  readonly #ownOrigins = new Set<string>();
  readonly #processName = randomUUID();
  #opened = 0;
  readonly #names = new StatementNames();
  readonly #suspects = new SuspectConnections();
  readonly #max: number;
  /** Whether a pooler is between this process and the server; `auto` as long as none has shown. */
  #pooled: boolean | 'auto';
  /** The connections of our pool with the settings of ours. */
  readonly #prepared = new WeakSet<pg.ClientBase>();
  /** The connections whose pooler keeps the names of statements. */
  readonly #namesKept = new WeakSet<pg.ClientBase>();
  /** Whether a pooler has lost a name that it was to keep. */
  #hasLostNames = false;
  readonly #onForgotten: (origin: string) => void;
  readonly #database: string;
  /** How many are in use, or are being opened for somebody. */
  #inUse = 0;
  readonly #waiting = new Set<Waiting>();
  #isClosing = false;

  constructor({ hosts, max, given, pooled, timeouts, onForgotten }: PoolOptions) {
    this.#timeouts = timeouts;
    this.#pooledSettings = toPooledSettings(timeouts);
    this.#onForgotten = onForgotten;
    this.#hosts = hosts;
    this.#max = max;
    this.#pooled = pooled;
    this.#database = nameDatabase(hosts.all);
    this.#isGiven = given !== undefined;
    this.#pool = given ?? this.#createPool();
    this.#pool.on('remove', this.#forget);
  }

  #createPool(): pg.Pool {
    const pool = new pg.Pool({
      max: this.#max,
      connectionTimeoutMillis: this.#timeouts.callMs,
      Client: toClientClass(this.#hosts),
      idleTimeoutMillis: idleMs,
      query_timeout: this.#timeouts.connectMs,
      keepAlive: true,
    });
    // A connection that is lost while idle is replaced when one is needed; an unhandled event would end the process.
    pool.on('error', (_, client) => this.#hosts.lose(this.#hostOf(client)));
    pool.on('connect', (client) => {
      client.on('error', ignore);
      this.#nameOrigin(client);
    });
    return pool;
  }

  /** Names a connection, as the origin of what it revokes. */
  #nameOrigin(client: pg.ClientBase): string {
    this.#opened += 1;
    const origin = `${this.#processName}.${this.#opened}`;
    this.#origins.set(client, origin);
    this.#ownOrigins.add(origin);
    return origin;
  }

  /** Whoever closed the connection knows what it committed, or has said that nobody does. */
  readonly #forget = (client: pg.ClientBase): void => {
    this.#ownOrigins.delete(this.#origins.get(client) ?? '');
    this.#origins.delete(client);
  };

  /** Says whether revocations of this origin are those of one of our connections. */
  isOwn(origin: string): boolean {
    return this.#ownOrigins.has(origin);
  }

  /**
   * Returns how to connect to the server that takes writes.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if none does
   */
  async locate(): Promise<pg.ClientConfig> {
    try {
      return (await this.#hosts.locate()).config;
    } catch (error) {
      throw this.#named(toStoreError(error));
    }
  }

  /** Takes a connection, which the caller must release, within the time limit of a call. */
  async take(): Promise<PostgresConnection> {
    const endsAt = performance.now() + this.#timeouts.callMs;
    const returned = this.#acquirePermit() ? null : await this.#wait();
    const client = returned ?? (await this.#takeFromPool(endsAt));
    const origin = this.#origins.get(client) ?? this.#nameOrigin(client);
    return new PostgresConnection(client, {
      names: this.#names,
      suspects: this.#suspects,
      isPooled: () => this.#pooled === true,
      origin,
      timeouts: this.#timeouts,
      pooledSettings: this.#pooledSettings,
      keepsNames: () => this.#pooled !== true || (this.#namesKept.has(client) && !this.#hasLostNames),
      onLostName: () => {
        if (this.#pooled === true) this.#hasLostNames = true;
        this.#findPooler();
      },
      // The caller does not know what it committed without an answer.
      forget: () => {
        this.#ownOrigins.delete(origin);
        this.#onForgotten(origin);
        this.#hosts.lose(this.#hostOf(client));
      },
      release: (isBroken) => this.#release(client, isBroken),
    });
  }

  /** Closes every connection that is returned in time, and drops those that are not, or whose server is silent. */
  async close(limitMs: number): Promise<void> {
    this.#isClosing = true;
    if (this.#isGiven) {
      this.#pool.off('remove', this.#forget);
      return;
    }
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, Math.max(1, limitMs));
    const ended = this.#pool.end().then(() => closeMs);
    const restMs = await Promise.race([ended, over.promise.then(() => 0)]);
    clearTimeout(timer);
    // Connections that are being closed keep the process alive until then, which the timer does not.
    setTimeout(() => [...this.#origins.keys()].forEach(dropConnection), restMs).unref();
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
      }, this.#timeouts.callMs);
      this.#waiting.add(enter);
    });
  }

  #release(client: pg.PoolClient, isBroken: boolean): void {
    const [next] = this.#waiting;
    if (next && !isBroken && !this.#isClosing && !this.#isUseless(client)) return next(client);
    this.#return(client, isBroken);
    this.#releasePermit();
  }

  #return(client: pg.PoolClient, isBroken: boolean): void {
    if (this.#isGiven) client.off('error', ignore);
    client.release(isBroken);
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
      taking.then((client) => this.#return(client, false)).catch(() => undefined);
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
   * Takes a connection from the pool, except those that are of no use. A new one that takes too long is tried again, and
   * one to a server that was lost, on that which takes writes instead.
   */
  async #takeClient(endsAt: number): Promise<pg.PoolClient> {
    for (;;) {
      if (this.#pool.idleCount === 0) await this.#hosts.locate();
      const client = await this.#connect(endsAt);
      if (!client) continue;
      if (!this.#isUseless(client)) return client;
      dropConnection(client);
      this.#return(client, true);
    }
  }

  /** Returns nothing if it is worth another attempt. */
  async #connect(endsAt: number): Promise<pg.PoolClient | undefined> {
    const host = this.#hosts.latest;
    try {
      const client = await this.#pool.connect();
      // The statement in progress reports a loss.
      if (this.#isGiven) client.on('error', ignore);
      else if (!this.#prepared.has(client)) await this.#prepare(client);
      return client;
    } catch (error) {
      if (isLost(error)) this.#hosts.lose(host);
      const isWorthAnother = isConnectTimeout(error) || (isLost(error) && this.#hosts.areSeveral);
      if (!isWorthAnother || performance.now() >= endsAt) throw error;
      return undefined;
    }
  }

  /** Says whether a connection is likely dead, or to a server whose standby was promoted meanwhile. */
  #isUseless(client: pg.PoolClient): boolean {
    return this.#suspects.includes(client) || this.#hostOf(client) !== this.#hosts.latest;
  }

  /** The app's pool has one server, as far as is known here. */
  #hostOf(client: pg.ClientBase): Host {
    return this.#isGiven ? this.#hosts.latest : (client as HostClient).server;
  }

  #findPooler(): void {
    if (this.#pooled === 'auto') this.#pooled = true;
  }

  /**
   * Prepares a new connection; one that can't write, as on a server that failed over, is useless. Not as `verify` of
   * pg-pool, which keeps for good what becomes ready too late for whoever waited.
   */
  async #prepare(client: pg.PoolClient): Promise<void> {
    try {
      const facts = await this.#probe(client);
      assertWritable(facts);
      if (facts?.process_id !== processIdOf(client)) this.#findPooler();
      if (this.#pooled === true) assertReadsCommitted(facts);
      if (facts?.has_own_names === false) this.#namesKept.add(client);
      this.#suspects.clear(client);
      this.#prepared.add(client);
    } catch (error) {
      this.#return(client, true);
      throw error;
    }
  }

  /** Makes the settings of a connection, and asks what it is like. */
  async #probe(client: pg.PoolClient): Promise<ConnectionFacts | undefined> {
    const isPooled = this.#pooled === 'auto' ? null : String(this.#pooled);
    const values = [isPooled, processIdOf(client), this.#origins.get(client) ?? '-'];
    const text = selectConnectionSettings(this.#timeouts);
    const probe = { name: probeName, text, values, limitMs: this.#timeouts.connectMs };
    const { rows } = await new Promise<StatementResult>((resolve, reject) => {
      const onResult: Statement['callback'] = (error, result) => (result ? resolve(result) : reject(error));
      client.query(new Statement({ ...probe, isOnce: true, onResult }));
    });
    return rows[0] as ConnectionFacts | undefined;
  }
}

/** A statement of its own runs under the default, which others on its server connection may not find changed. */
function assertReadsCommitted(facts: ConnectionFacts | undefined): void {
  if (facts?.isolation === 'read committed') return;
  throw new Error(
    'Behind a pooler, default_transaction_isolation must be read committed; ALTER ROLE … SET changes that of a role.',
  );
}

/** A connection that knows which server it was opened to. */
interface HostClient extends pg.ClientBase {
  readonly server: Host;
}

/** Makes the class of connections to the server that takes writes when they are opened. */
function toClientClass(hosts: DatabaseHosts): typeof pg.Client {
  return class extends pg.Client implements HostClient {
    readonly server = hosts.latest;

    constructor(config?: pg.ClientConfig) {
      // The pool has a single limit for the wait for a connection and for opening one, which has to be shorter.
      super({ ...config, ...hosts.latest.config });
    }
  };
}

/** A lost connection is reported by the statement during which it was lost. */
function ignore(): void {
  // An error event without a listener would end the process.
}

/**
 * Names the database of a URL, without any credentials.
 *
 * @throws ConfigurationError if it cannot be parsed; without a cause, because Node's error would contain the password
 */
function nameDatabase(hosts: readonly Host[]): string {
  try {
    const clients = hosts.map(({ config }) => new pg.Client(config));
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

/** A name that has several addresses fails with one error for each, and no words of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : 'it does not answer in time.';
}

/** Says whether a new connection took too long; node-postgres has no code for that. */
function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout expired';
}

function processIdOf(client: pg.ClientBase): number {
  return (client as pg.ClientBase & { readonly processID: number }).processID;
}
