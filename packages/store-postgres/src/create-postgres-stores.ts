import { assertNodeVersion, ConfigurationError, refuseUnknownOptions } from '@x/errors';
import { type Clock, createDatabaseClock, type Stores } from '@x/store';
import { createSqlStores, type SqlEngineOptions } from '@x/store-sql';
import pg from 'pg';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations as schema } from './migrations/migrations.ts';

/** The options of Postgres stores. */
export type PostgresStoresOptions = CommonOptions & (DatabaseOptions | GivenPoolOptions);

/** Where the database is; the stores open connections to it. */
interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that pg knows, such as `sslmode`. Secret. */
  readonly url: string;
  /**
   * The most connections that this process may have, 1 or more, besides the one that listens for revocations. Default
   * 10.
   */
  readonly maxConnections?: number;
  readonly pool?: never;
}

interface GivenPoolOptions {
  /**
   * A `Pool` of pg whose connections the stores use, too, instead of `url`. The stores leave their sessions unchanged:
   * settings last as long as a transaction, and no statement is prepared. The stores migrate and listen on connections
   * beside the pool, with its options. It stays open when the stores are closed.
   */
  readonly pool: GivenPool;
  readonly url?: never;
  readonly maxConnections?: never;
}

/** A `Pool` of pg, whose types an app may do without. */
interface GivenPool {
  connect(): Promise<unknown>;
  readonly totalCount: number;
}

/** The options of stores on a `url` or a `pool`. */
interface CommonOptions extends SqlEngineOptions {
  /**
   * The same database past any pooler, for one connection that is notified at once of revocations by other processes.
   * Default: `url`, or where `pool` connects to, unless a pooler is there; then, and while that connection is lost,
   * revocations are read every second. Secret.
   */
  readonly listenUrl?: string;
  /**
   * Whether `url` or `pool` leads to a pooler in transaction mode, such as PgBouncer. Then the stores leave the
   * sessions of its connections unchanged, and statements have names only if the pooler keeps them. Default `auto`: it
   * is detected.
   */
  readonly pooled?: boolean | 'auto';
  /**
   * The only source of time of the stores. Default: `createDatabaseClock()`, which `createServer` lets follow the clock
   * of the database server.
   */
  readonly clock?: Clock;
}

/**
 * Builds every store on one Postgres database, version 14 or above. Any number of processes may share it. It connects
 * when it is first used.
 *
 * @throws ConfigurationError on a Node before 22; naming every unknown option, or if the `url` cannot be parsed; for
 * both or none of `url` and `pool`, and for a `pool` that is not of the installed pg
 * @throws TypeError if `maxConnections` is not a whole number above 0, or `pooled` is none of its values
 * @example
 * ```ts
 * const stores = createPostgresStores({ url: 'postgres://app:secret@localhost/app' });
 * await stores.migrate();
 * ```
 */
export function createPostgresStores(options: PostgresStoresOptions): Stores {
  assertNodeVersion();
  const { url, pool, listenUrl, pooled = 'auto', maxConnections = 10, patience } = options;
  const { clock = createDatabaseClock(), logger, entities, migrations, changes } = options;
  const ours = { url, pool, listenUrl, pooled, maxConnections, patience };
  refuseUnknownOptions(options, { ...ours, clock, logger, entities, migrations, changes });
  if ((url === undefined) === (pool === undefined)) {
    throw new ConfigurationError(['url, pool: the stores need one of them.']);
  }
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new TypeError('maxConnections must be a whole number above 0.');
  }
  if (typeof pooled !== 'boolean' && pooled !== 'auto') throw new TypeError("pooled must be true, false or 'auto'.");
  const driver = createPostgresDriver({ ...options, clock, pool: toPool(pool), maxConnections, migrations: schema });
  return createSqlStores({ ...options, clock, driver });
}

/** Refuses a pool of another copy of pg, whose errors would all look like lost connections. */
function toPool(pool: GivenPool | undefined): pg.Pool | undefined {
  if (pool === undefined || pool instanceof pg.Pool) return pool;
  throw new ConfigurationError(['pool: must be a Pool of pg; if it is one, two copies of pg are installed.']);
}
