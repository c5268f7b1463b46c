import type { Clock, Stores, TransactionStores } from '@x/store';

import { createSqlCounters } from './counters.ts';
import { createSqlEvents } from './events.ts';
import { createSqlRateLimits } from './rate-limits.ts';
import { createSqlSessions } from './sessions.ts';
import type { OnScope, SqlDriver, SqlScope } from './sql-driver.ts';
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
  const shared = { dialect: driver.dialect, clock };
  const makers: StoreMakers = {
    users: createSqlUsers(shared),
    sessions: createSqlSessions(shared),
    rateLimits: createSqlRateLimits(shared),
    events: createSqlEvents(shared),
    counters: createSqlCounters,
  };
  return {
    ...makeStores(driver, makers),
    clock,
    migrate: () => driver.migrate(),
    ping: () => driver.ping(),
    close: () => driver.close(),
  };
}

/** What makes each store on a scope. */
type StoreMakers = {
  readonly [Name in Exclude<keyof TransactionStores, 'transaction'>]: OnScope<TransactionStores[Name]>;
};

/** Makes the stores of a scope, each when it is asked for: a transaction needs few of them. */
function makeStores(sql: SqlScope, makers: StoreMakers): TransactionStores {
  return {
    get users() {
      return makers.users(sql);
    },
    get sessions() {
      return makers.sessions(sql);
    },
    get rateLimits() {
      return makers.rateLimits(sql);
    },
    get events() {
      return makers.events(sql);
    },
    get counters() {
      return makers.counters(sql);
    },
    transaction: (work) => sql.transaction((inner) => work(makeStores(inner, makers))),
  };
}
