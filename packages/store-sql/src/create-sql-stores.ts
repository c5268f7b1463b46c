import type { Clock, EntityTable, Revocation, Stores, TransactionStores } from '@x/store';
import { RevocationListeners } from '@x/store/engine';

import { createSqlClosure } from './closure.ts';
import { createSqlCounters } from './counters.ts';
import { createSqlEntities } from './entity/entities.ts';
import { evolveEntities } from './entity/evolve-entities.ts';
import { createSqlEvents } from './events.ts';
import { createSqlMailTokens } from './mail-tokens.ts';
import { createSqlMfa } from './mfa.ts';
import { createSqlOAuthAccounts } from './oauth-accounts.ts';
import { createSqlOneTimeIds } from './one-time-ids.ts';
import { createSqlFlags } from './flags.ts';
import { createSqlRateLimits } from './rate-limits.ts';
import type { PublishRevocations } from './revocations.ts';
import { createSqlRoleAssignments } from './role-assignments.ts';
import { createSqlSessions } from './sessions.ts';
import type { MigrationScope, OnScope, SqlDriver, SqlScope } from './sql-driver.ts';
import { createSqlStandings } from './standings.ts';
import { createSqlSubscriptions } from './subscriptions.ts';
import { createSqlLock, lockOutside } from './named-lock.ts';
import { createSqlUsers } from './users.ts';
import { createSqlWallets } from './wallets.ts';

/** The options of the stores. */
export interface SqlStoresOptions {
  readonly driver: SqlDriver;
  /** The only source of time. */
  readonly clock: Clock;
  /** The tables of the app's entities; none by default. */
  readonly entities?: readonly EntityTable[];
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
export function createSqlStores({ driver, clock, entities = [] }: SqlStoresOptions): Stores {
  const { dialect } = driver;
  const shared = { dialect, clock };
  const listeners = new RevocationListeners();
  const tell: PublishRevocations = (revocations) => listeners.tell(revocations);
  const subscribe = once(() => driver.subscribe?.(tell));
  const makers: StoreMakers = {
    users: createSqlUsers(shared),
    sessions: createSqlSessions(shared),
    rateLimits: createSqlRateLimits(shared),
    events: createSqlEvents(shared),
    counters: createSqlCounters,
    emailVerifications: createSqlMailTokens({ ...shared, table: 'auth_email_verifications' }),
    passwordResets: createSqlMailTokens({ ...shared, table: 'auth_password_resets' }),
    oneTimeIds: createSqlOneTimeIds(shared),
    mfa: createSqlMfa(shared),
    oauthAccounts: createSqlOAuthAccounts(shared),
    entities: createSqlEntities({ dialect, entities }),
    roleAssignments: createSqlRoleAssignments({ dialect }),
    hierarchy: createSqlClosure(shared),
    flags: createSqlFlags,
    subscriptions: createSqlSubscriptions(shared),
    wallets: createSqlWallets({ ...shared, outside: driver }),
    tenantSnapshots: createSqlStandings,
    lock: createSqlLock(dialect),
  };
  const evolve = (scope: MigrationScope): Promise<void> =>
    evolveEntities(scope, { entities, dialect, now: clock.now() });
  return {
    ...makeStores({ sql: driver, publish: tell, makers, isInside: false }),
    clock,
    onRevoked(listener) {
      subscribe();
      return listeners.add(listener);
    },
    migrate: () => driver.migrate(entities.length > 0 ? evolve : undefined),
    ping: () => driver.ping(),
    readServerTime: () => driver.readServerTime(),
    close: () => driver.close(),
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** Creates each store on a scope. */
type StoreMakers = {
  readonly [Name in Exclude<keyof TransactionStores, 'sessions' | 'transaction'>]: OnScope<
    NonNullable<TransactionStores[Name]>
  >;
} & { readonly sessions: ReturnType<typeof createSqlSessions> };

/** Where stores are created. */
interface StorePlace {
  readonly sql: SqlScope;
  readonly publish: PublishRevocations;
  readonly makers: StoreMakers;
  /** Whether it is a transaction. */
  readonly isInside: boolean;
}

/** Creates the stores of a scope, each on first use: a transaction needs few of them. */
function makeStores({ sql, publish, makers, isInside }: StorePlace): TransactionStores {
  return {
    get users() {
      return makers.users(sql);
    },
    get sessions() {
      return makers.sessions(sql, publish);
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
    get emailVerifications() {
      return makers.emailVerifications(sql);
    },
    get passwordResets() {
      return makers.passwordResets(sql);
    },
    get oneTimeIds() {
      return makers.oneTimeIds(sql);
    },
    get mfa() {
      return makers.mfa(sql);
    },
    get oauthAccounts() {
      return makers.oauthAccounts(sql);
    },
    get entities() {
      return makers.entities(sql);
    },
    get roleAssignments() {
      return makers.roleAssignments(sql);
    },
    get hierarchy() {
      return makers.hierarchy(sql);
    },
    get flags() {
      return makers.flags(sql);
    },
    get subscriptions() {
      return makers.subscriptions(sql);
    },
    get wallets() {
      return makers.wallets(sql);
    },
    get tenantSnapshots() {
      return makers.tenantSnapshots(sql);
    },
    lock: isInside ? makers.lock(sql) : lockOutside,
    async transaction(work, options) {
      let held: Revocation[] = [];
      const hold: PublishRevocations = (revocations) => {
        for (const revocation of revocations) held.push(revocation);
      };
      const outcome = await sql.transaction((inner) => {
        held = [];
        return work(makeStores({ sql: inner, publish: hold, makers, isInside: true }));
      }, options);
      publish(held);
      return outcome;
    },
  };
}
