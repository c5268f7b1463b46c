import { assertNodeVersion, type OptionNames, refuseUnknownOptions } from '@x/errors';
import type { Clock, EntityTable, Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations.generated.ts';

/** The options of Postgres stores. */
export interface PostgresStoresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that pg knows, such as `sslmode`. Secret. */
  readonly url: string;
  /**
   * The same database past any pooler, for one connection that hears at once what other processes revoke. Default: `url`,
   * unless a pooler is there; then, and while that connection is lost, revocations are read every second. Secret.
   */
  readonly listenUrl?: string;
  /**
   * Whether `url` leads to a pooler in transaction mode, such as PgBouncer: nothing is left behind on its connections to
   * the server, and no statement is prepared. Default `auto`: a connection shows it.
   */
  readonly pooled?: boolean | 'auto';
  /** Receives what the log should say, at most once each. Default: `process.emitWarning`. */
  readonly warn?: (message: string) => void;
  /**
   * The only source of time of the stores. It has no default: `systemClock` is right if all processes run on one
   * machine, or on machines whose clocks agree; `createDatabaseClock` of `@x/server` follows the clock of the server.
   */
  readonly clock: Clock;
  /** The tables of the app's entities, which `migrate()` creates and changes. Default: none. */
  readonly entities?: readonly EntityTable[];
  /**
   * The most connections that this process may have, 1 or more, besides the one that listens for revocations. Default
   * 10.
   */
  readonly maxConnections?: number;
}

const optionNames: OptionNames<PostgresStoresOptions> = {
  url: true,
  listenUrl: true,
  pooled: true,
  warn: true,
  clock: true,
  entities: true,
  maxConnections: true,
};

/**
 * Builds every store on one Postgres database, version 14 or above. Any number of processes may share it. It connects
 * when it is first used.
 *
 * @throws ConfigurationError on a Node before 22; naming every unknown option, or if the `url` cannot be parsed
 * @throws TypeError if `maxConnections` is not a whole number above 0, or `pooled` is none of its values
 * @example
 * ```ts
 * const stores = createPostgresStores({ url: 'postgres://app:secret@localhost/app', clock: systemClock });
 * await stores.migrate();
 * ```
 */
export function createPostgresStores(options: PostgresStoresOptions): Stores {
  assertNodeVersion();
  refuseUnknownOptions(options, optionNames);
  const { entities = [], maxConnections = 10, ...given } = options;
  const { clock, pooled = 'auto' } = given;
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new TypeError('maxConnections must be a whole number above 0.');
  }
  if (typeof pooled !== 'boolean' && pooled !== 'auto') throw new TypeError("pooled must be true, false or 'auto'.");
  const driver = createPostgresDriver({ ...given, maxConnections, migrations });
  return createSqlStores({ driver, clock, entities });
}
