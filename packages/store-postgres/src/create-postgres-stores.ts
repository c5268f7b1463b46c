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
  clock: true,
  entities: true,
  maxConnections: true,
};

/**
 * Builds every store on one Postgres database, version 15 or above. Any number of processes may share it. It connects
 * when it is first used.
 *
 * @throws ConfigurationError on a Node before 22; naming every unknown option, or if the `url` cannot be parsed
 * @throws TypeError if `maxConnections` is not a whole number above 0
 * @example
 * ```ts
 * const stores = createPostgresStores({ url: 'postgres://app:secret@localhost/app', clock: systemClock });
 * await stores.migrate();
 * ```
 */
export function createPostgresStores(options: PostgresStoresOptions): Stores {
  assertNodeVersion();
  refuseUnknownOptions(options, optionNames);
  const { url, clock, maxConnections = 10, entities = [] } = options;
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new TypeError('maxConnections must be a whole number above 0.');
  }
  return createSqlStores({ driver: createPostgresDriver({ url, clock, maxConnections, migrations }), clock, entities });
}
