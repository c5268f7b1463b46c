import { CodedError, refuseUnknownOptions } from '@x/errors';
import {
  type Clock,
  type EntityTable,
  type AppSql,
  type StepStores,
  type Stores,
  systemClock,
  type TransactionStores,
} from '@x/store';
import {
  addStores,
  assertStorableText,
  defaultPatience,
  maxTransactionMs,
  Mutex,
  type Patience,
  RevocationListeners,
  type StoreFactories,
} from '@x/store/engine';
import { createFlagStore } from './access/flags.ts';
import { createGroupStore } from './access/groups.ts';
import { createHierarchyStore } from './access/hierarchy.ts';
import { createRoleAssignmentStore } from './access/role-assignments.ts';
import { createSubscriptionStore } from './access/subscriptions.ts';
import { createWalletStore } from './access/wallets.ts';
import { createMailTokenStore } from './auth/mail-tokens.ts';
import { createMfaStore } from './auth/mfa.ts';
import { createOAuthAccountStore } from './auth/oauth-accounts.ts';
import { createOneTimeIdStore } from './auth/one-time-ids.ts';
import { createRateLimitStore, type MaxWindows } from './auth/rate-limits.ts';
import { createSessionStore } from './auth/sessions.ts';
import { createUserStore } from './auth/users.ts';
import { createCounterStore } from './counters.ts';
import { createChangeStore } from './changes/change-store.ts';
import { MemoryExecutor } from './database/executor.ts';
import { createEntityStore } from './entity/entities.ts';
import { createEventStore } from './events.ts';
import { createLiveStreamStore } from './live-streams.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';
import { createTables, type Tables } from './tables.ts';

/** The options of memory stores. */
export interface MemoryStoresOptions {
  /** The only source of time of the stores. Default: the clock of this machine. */
  readonly clock?: Clock;
  /** The tables of the app's entities. Default: none. */
  readonly entities?: readonly EntityTable[];
  /** Whether the feed of changes is kept, which `live` of a server needs. Default: no. */
  readonly changes?: boolean;
  /**
   * How long calls wait. Default: 2 s. Tests on busy machines wait longer.
   *
   * @internal
   */
  readonly patience?: Patience;
}

/**
 * Creates stores on a new, empty database in the memory of this process. It is lost when the process ends.
 *
 * @throws ConfigurationError naming every unknown option
 * @example
 * ```ts
 * const stores = createMemoryStores();
 * const { allowed } = await stores.rateLimits.check('sign-in:203.0.113.7', 5, 60_000);
 * ```
 */
export function createMemoryStores(options: MemoryStoresOptions = {}): Stores {
  const { clock = systemClock, entities, changes, patience = defaultPatience } = options;
  refuseUnknownOptions(options, { clock, entities, changes, patience });
  return openMemoryStores(createMemoryDatabase(entities, changes), clock, { waitMs: patience.waitMs });
}

/** The state shared by all stores that are opened on one database. */
export interface MemoryDatabase {
  readonly tables: Tables;
  /** Taken by writers that others may have to wait for. */
  readonly mutex: Mutex;
  readonly keepsChanges: boolean;
}

/** Creates an empty database with the tables of the app's entities. */
export function createMemoryDatabase(
  entities: readonly EntityTable[] = [],
  keepsChanges: boolean = false,
  maxWindows?: MaxWindows,
): MemoryDatabase {
  return { tables: createTables(entities, keepsChanges, maxWindows), mutex: new Mutex(), keepsChanges };
}

/** How long what may take, in milliseconds. */
interface MemoryLimits {
  /** A transaction; 5000 by default. */
  readonly limitMs?: number;
  /** The wait of a writer for others, and a search; 2000 by default. */
  readonly waitMs?: number;
}

/** Opens stores on a database that others may have open as well. */
export function openMemoryStores(
  database: MemoryDatabase,
  clock: Clock,
  { limitMs = maxTransactionMs, waitMs = defaultPatience.waitMs }: MemoryLimits = {},
): Stores {
  const listeners = new RevocationListeners();
  const executor = new MemoryExecutor({
    ...database,
    clock,
    limitMs,
    waitMs,
    notify: (revocations) => listeners.notify(revocations),
  });
  const assertOpen = async (): Promise<void> => executor.read(() => undefined);
  return {
    ...toStores(executor),
    clock,
    changes: {
      ...createChangeStore(executor),
      isKept: database.keepsChanges,
      subscribe: (onHint) => database.tables.changes.subscribe(onHint),
    },
    onRevoked: (listener) => listeners.add(listener),
    // A database in memory begins with its declaration, so it has nothing to follow.
    migrate: async () => executor.read(() => ({ taken: [], waiting: [], notices: [] })),
    planMigration: async () => executor.read(() => ({ steps: [], problems: [], notices: [] })),
    ping: assertOpen,
    readServerTime: async () => executor.read(() => null),
    close: async () => executor.end(),
  };
}

/** Creates the stores of the database or of a transaction. */
function toStores(executor: MemoryExecutor<Tables>): TransactionStores {
  const own: Omit<TransactionStores, keyof StepStores> = {
    lock: async (name) => {
      assertStorableText(name);
      executor.assertInTransaction();
    },
    sql: noSql,
    raw: undefined,
    transaction: async (work) => executor.transaction(async (inside) => work(toStores(inside))),
  };
  return addStores(own, factories, executor);
}

const factories: StoreFactories<MemoryExecutor<Tables>> = {
  users: (executor) => refuseUnstorable(createUserStore(executor), ['findById', 'lock', 'search']),
  sessions: (executor) => refuseUnstorable(createSessionStore(executor)),
  rateLimits: (executor) => refuseUnstorable(createRateLimitStore(executor)),
  events: (executor) => refuseUnstorable(createEventStore(executor)),
  counters: (executor) => refuseUnstorable(createCounterStore(executor)),
  emailVerifications: (executor) => refuseUnstorable(createMailTokenStore(executor, 'emailVerifications')),
  passwordResets: (executor) => refuseUnstorable(createMailTokenStore(executor, 'passwordResets')),
  oneTimeIds: (executor) => refuseUnstorable(createOneTimeIdStore(executor)),
  mfa: (executor) => refuseUnstorable(createMfaStore(executor)),
  oauthAccounts: (executor) => refuseUnstorable(createOAuthAccountStore(executor), ['unlink']),
  entities: (executor) => refuseUnstorable(createEntityStore(executor), ['create']),
  roleAssignments: (executor) => refuseUnstorable(createRoleAssignmentStore(executor), ['hasRoleNow']),
  groups: (executor) => refuseUnstorable(createGroupStore(executor)),
  hierarchy: (executor) => refuseUnstorable(createHierarchyStore(executor)),
  flags: (executor) => refuseUnstorable(createFlagStore(executor)),
  subscriptions: (executor) => refuseUnstorable(createSubscriptionStore(executor)),
  wallets: (executor) => refuseUnstorable(createWalletStore(executor)),
  changes: createChangeStore,
  liveStreams: (executor) => refuseUnstorable(createLiveStreamStore(executor), ['subscribe']),
};

const refuseSql = async (): Promise<never> => {
  throw new CodedError('INTERNAL_ERROR', 'Something went wrong.', {
    cause: new TypeError('Stores in memory run no SQL: use those of @x/store-sqlite, which may be in memory, too.'),
  });
};

const noSql: AppSql = Object.assign(refuseSql, { type: () => refuseSql });
