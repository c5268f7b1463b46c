import { assertNodeVersion, type OptionNames, refuseUnknownOptions } from '@x/errors';
import { type Clock, type EntityTable, type Stores, systemClock } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { backUp } from './backup.ts';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations } from './migrations.generated.ts';

/** Stores on a file, which can be copied while it is in use. */
export interface SqliteStores extends Stores {
  /**
   * Copies the database as it is now to another file, which appears once it is complete and replaces one that is there.
   * Others read and write meanwhile, in other processes, too.
   *
   * @throws ConfigurationError for a database in memory
   * @throws CodedError `SERVICE_UNAVAILABLE` if the file can't be written
   */
  backup(path: string): Promise<void>;
}

/** The options of SQLite stores. */
export interface SqliteStoresOptions {
  /** The database file, created if it does not exist, or `:memory:`. */
  readonly path: string;
  /** The only source of time of the stores. Default: the clock of this machine, where the file is, too. */
  readonly clock?: Clock;
  /** The tables of the app's entities, which `migrate()` creates and changes. Default: none. */
  readonly entities?: readonly EntityTable[];
  /**
   * `FULL` (the default): an acknowledged write survives a power cut. `NORMAL`: it survives the end of the process, but
   * the last moments before a power cut may be lost.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

const optionNames: OptionNames<SqliteStoresOptions> = { path: true, clock: true, entities: true, synchronous: true };

/**
 * Builds every store on one SQLite database. Any number of processes may use one file at once.
 *
 * @throws ConfigurationError on a Node before 22; naming every unknown option, or the file if it can't be opened and written
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
  refuseUnknownOptions(options, optionNames);
  const { path, clock = systemClock, synchronous = 'FULL', entities = [] } = options;
  const driver = createSqliteDriver({ path, clock, synchronous, migrations });
  // Not copied: each store is created when it is first used.
  return Object.assign(createSqlStores({ driver, clock, entities }), {
    backup: (target: string) => backUp(path, target),
  });
}
