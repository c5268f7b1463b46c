import { assertNodeVersion, ConfigurationError, refuseUnknownOptions } from '@x/errors';
import { type Clock, type Stores, systemClock } from '@x/store';
import { createSqlStores, type SqlEngineOptions } from '@x/store-sql';
import { backUp } from './backup.ts';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations as schema } from './migrations/migrations.ts';

/** Stores on a file, which can be copied while it is in use. */
export interface SqliteStores extends Stores {
  /**
   * Copies the database as it is now to another file, which appears once it is complete and replaces an existing one.
   * Reads and writes continue meanwhile, also in other processes.
   *
   * @throws ConfigurationError for a database in memory
   * @throws CodedError `SERVICE_UNAVAILABLE` if the file can't be written
   */
  backup(path: string): Promise<void>;
}

/** The options of SQLite stores. */
export type SqliteStoresOptions = CommonOptions & (FileOptions | GivenDatabaseOptions);

/** Where the database is; the stores open it. */
interface FileOptions {
  /** The database file, created if it does not exist, or `:memory:`. */
  readonly path: string;
  readonly database?: never;
}

interface GivenDatabaseOptions {
  /**
   * A database of better-sqlite3, on which the stores write instead of opening `path`. Lists and queries open its file
   * again, to read. The stores set WAL, `synchronous` and `foreign_keys = ON`. The database stays open when they are
   * closed.
   *
   * A statement that the app runs on it while a transaction of the stores is open becomes part of that transaction. Run
   * it there on purpose, by `tx.sql` or `tx.raw`. While the app has a transaction open, the stores wait for up to 2 s.
   */
  readonly database: GivenDatabase;
  readonly path?: never;
}

/** A `Database` of better-sqlite3, whose types an app may do without. */
interface GivenDatabase {
  readonly name: string;
  readonly memory: boolean;
  readonly inTransaction: boolean;
}

/** The options of stores on a `path` or a `database`. */
interface CommonOptions extends SqlEngineOptions {
  /**
   * `FULL` (the default): an acknowledged write survives a power cut. `NORMAL`: it survives the end of the process, but
   * the last moments before a power cut may be lost.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** The only source of time of the stores. Default: the clock of this machine, where the file is, too. */
  readonly clock?: Clock;
}

/**
 * Builds every store on one SQLite database. Any number of processes may use one file at once.
 *
 * @throws ConfigurationError on a Node before 22; naming every unknown option, or the file if it can't be opened and
 * written; for both or none of `path` and `database`, and for a `database` that the stores can't write on
 * @throws CodedError `SERVICE_UNAVAILABLE` if another program locks the file
 *
 * @example
 * ```ts
 * const stores = createSqliteStores({ path: 'app.db' });
 * await stores.migrate();
 * ```
 */
export function createSqliteStores(options: SqliteStoresOptions): SqliteStores {
  assertNodeVersion();
  const { database, synchronous = 'FULL', patience } = options;
  const { clock = systemClock, logger, entities, migrations, changes } = options;
  const ours = { path: true, database, synchronous, patience };
  refuseUnknownOptions(options, { ...ours, clock, logger, entities, migrations, changes });
  if ((options.path === undefined) === (database === undefined)) {
    throw new ConfigurationError(['path, database: the stores need one of them.']);
  }
  const path = options.path ?? (database?.memory ? ':memory:' : (database?.name ?? ''));
  const driver = createSqliteDriver({ ...options, path, clock, synchronous, migrations: schema });
  // The object is not copied, because each store is created when it is first used.
  return Object.assign(createSqlStores({ ...options, driver, clock }), {
    backup: (target: string) => backUp(path, target),
  });
}
