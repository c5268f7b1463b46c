import { CodedError, refuseUnknownOptions } from '@x/errors';
import { type Clock, type EntityTable, type OwnSql, type Stores, systemClock, type TransactionStores } from '@x/store';
import {
  assertStorableText,
  defaultPatience,
  maxTransactionMs,
  Mutex,
  type Patience,
  RevocationListeners,
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
import { MemoryScope } from './database/scope.ts';
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
  const scope = new MemoryScope({
    ...database,
    clock,
    limitMs,
    waitMs,
    notify: (revocations) => listeners.notify(revocations),
  });
  const assertOpen = async (): Promise<void> => scope.read(() => undefined);
  return {
    ...toStores(scope),
    clock,
    changes: {
      ...createChangeStore(scope),
      isKept: database.keepsChanges,
      subscribe: (onHint) => database.tables.changes.subscribe(onHint),
    },
    onRevoked: (listener) => listeners.add(listener),
    // A database in memory begins with its declaration, so it has nothing to follow.
    migrate: async () => scope.read(() => ({ waiting: [], notices: [] })),
    planMigration: async () => scope.read(() => ({ steps: [], problems: [], notices: [] })),
    ping: assertOpen,
    readServerTime: async () => scope.read(() => null),
    close: async () => scope.end(),
  };
}

/** Creates the stores of a scope, each on first use: a transaction needs few of them. */
function toStores(scope: MemoryScope<Tables>): TransactionStores {
  const users = once(() => refuseUnstorable(createUserStore(scope), ['findById', 'lock', 'search']));
  const sessions = once(() => refuseUnstorable(createSessionStore(scope)));
  const rateLimits = once(() => refuseUnstorable(createRateLimitStore(scope)));
  const events = once(() => refuseUnstorable(createEventStore(scope)));
  const counters = once(() => refuseUnstorable(createCounterStore(scope)));
  const emailVerifications = once(() => refuseUnstorable(createMailTokenStore(scope, 'emailVerifications')));
  const passwordResets = once(() => refuseUnstorable(createMailTokenStore(scope, 'passwordResets')));
  const oneTimeIds = once(() => refuseUnstorable(createOneTimeIdStore(scope)));
  const mfa = once(() => refuseUnstorable(createMfaStore(scope)));
  const oauthAccounts = once(() => refuseUnstorable(createOAuthAccountStore(scope), ['unlink']));
  const entities = once(() => refuseUnstorable(createEntityStore(scope), ['create']));
  const roleAssignments = once(() => refuseUnstorable(createRoleAssignmentStore(scope), ['hasRoleNow']));
  const groups = once(() => refuseUnstorable(createGroupStore(scope)));
  const hierarchy = once(() => refuseUnstorable(createHierarchyStore(scope)));
  const flags = once(() => refuseUnstorable(createFlagStore(scope)));
  const subscriptions = once(() => refuseUnstorable(createSubscriptionStore(scope)));
  const liveStreams = once(() => refuseUnstorable(createLiveStreamStore(scope), ['subscribe']));
  const wallets = once(() => refuseUnstorable(createWalletStore(scope)));
  return {
    get users() {
      return users();
    },
    get sessions() {
      return sessions();
    },
    get rateLimits() {
      return rateLimits();
    },
    get events() {
      return events();
    },
    get counters() {
      return counters();
    },
    get emailVerifications() {
      return emailVerifications();
    },
    get passwordResets() {
      return passwordResets();
    },
    get oneTimeIds() {
      return oneTimeIds();
    },
    get mfa() {
      return mfa();
    },
    get oauthAccounts() {
      return oauthAccounts();
    },
    get entities() {
      return entities();
    },
    get roleAssignments() {
      return roleAssignments();
    },
    get groups() {
      return groups();
    },
    get hierarchy() {
      return hierarchy();
    },
    get flags() {
      return flags();
    },
    get subscriptions() {
      return subscriptions();
    },
    get wallets() {
      return wallets();
    },
    get changes() {
      return createChangeStore(scope);
    },
    get liveStreams() {
      return liveStreams();
    },
    lock: async (name) => {
      assertStorableText(name);
      scope.assertInTransaction();
    },
    sql: noSql,
    raw: undefined,
    transaction: async (work) => scope.transaction(async (inside) => work(toStores(inside))),
  };
}

const refuseSql = async (): Promise<never> => {
  throw new CodedError('INTERNAL_ERROR', 'Something went wrong.', {
    cause: new TypeError('Stores in memory run no SQL: use those of @x/store-sqlite, which may be in memory, too.'),
  });
};

const noSql: OwnSql = Object.assign(refuseSql, { type: () => refuseSql });

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
