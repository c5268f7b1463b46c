import type { Clock, Stores, TransactionStores } from '@x/store';

import { createSqlCounters } from './counters.ts';
import { createSqlEvents } from './events.ts';
import { createSqlRateLimits } from './rate-limits.ts';
import { createSqlSessions } from './sessions.ts';
import type { SqlDialect, SqlDriver, SqlScope } from './sql-driver.ts';
import { createSqlUsers } from './users.ts';

/** What the stores are made of. */
export interface SqlStoresOptions {
  readonly driver: SqlDriver;
  /** The only source of time. */
  readonly clock: Clock;
}

/**
 * Builds every store on one SQL database.
 *
 * @example
 * ```ts
 * const stores = createSqlStores({ driver: createSqliteDriver({ path, clock }), clock });
 * await stores.migrate();
 * ```
 */
export function createSqlStores({ driver, clock }: SqlStoresOptions): Stores {
  return {
    ...createScopedStores({ sql: driver, dialect: driver.dialect, clock }),
    clock,
    migrate: () => driver.migrate(),
    ping: () => driver.ping(),
    close: () => driver.close(),
  };
}

interface ScopedStoresOptions {
  readonly sql: SqlScope;
  readonly dialect: SqlDialect;
  readonly clock: Clock;
}

function createScopedStores({ sql, dialect, clock }: ScopedStoresOptions): TransactionStores {
  return {
    users: createSqlUsers({ sql, clock }),
    sessions: createSqlSessions({ sql, dialect, clock }),
    rateLimits: createSqlRateLimits({ sql, dialect, clock }),
    events: createSqlEvents({ sql, dialect, clock }),
    counters: createSqlCounters({ sql }),
    transaction: (work) => sql.transaction((inner) => work(createScopedStores({ sql: inner, dialect, clock }))),
  };
}
