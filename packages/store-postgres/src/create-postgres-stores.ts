import type { Clock, EntityTable, Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';

import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations.generated.ts';

/** Where the database is. */
export interface PostgresStoresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that pg knows, such as `sslmode`. Secret. */
  readonly url: string;
  /** The only source of time of the stores. */
  readonly clock: Clock;
  /** The tables of the app's entities, which `migrate()` makes and changes; none by default. */
  readonly entities?: readonly EntityTable[];
  /** Connections that this process may have at once, 1 or more, beside one that hears of revocations. Default 10. */
  readonly maxConnections?: number;
}

/**
 * Builds every store on one Postgres database, version 15 or above. Any number of processes may share it. It connects when
 * it is first needed.
 *
 * @throws TypeError where `maxConnections` is no whole number above 0
 * @example
 * ```ts
 * const stores = createPostgresStores({
 *   url: 'postgres://app:secret@localhost/app',
 *   clock: { now: () => new Date() },
 * });
 * await stores.migrate();
 * ```
 */
export function createPostgresStores({
  url,
  clock,
  maxConnections = 10,
  entities = [],
}: PostgresStoresOptions): Stores {
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new TypeError('maxConnections must be a whole number above 0.');
  }
  return createSqlStores({ driver: createPostgresDriver({ url, clock, maxConnections, migrations }), clock, entities });
}
