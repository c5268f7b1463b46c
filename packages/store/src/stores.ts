import type { FlagStore } from './access/flags.ts';
import type { GroupStore } from './access/groups.ts';
import type { HierarchyStore } from './access/hierarchy.ts';
import type { RoleAssignmentStore } from './access/role-assignments.ts';
import type { SubscriptionStore } from './access/subscriptions.ts';
import type { TenantSnapshotStore } from './access/tenant-snapshots.ts';
import type { WalletStore } from './access/wallets.ts';
import type { MailTokenStore } from './auth/mail-tokens.ts';
import type { MfaStore } from './auth/mfa.ts';
import type { OAuthAccountStore } from './auth/oauth-accounts.ts';
import type { OneTimeIdStore } from './auth/one-time-ids.ts';
import type { RateLimitStore } from './auth/rate-limits.ts';
import type { Revocation, SessionStore } from './auth/sessions.ts';
import type { UserStore } from './auth/users.ts';
import type { ChangeFeed, ChangeStore } from './changes.ts';
import type { Clock } from './clock.ts';
import type { CounterStore } from './counters.ts';
import type { EntityStore } from './entity/entities.ts';
import type { EventStore } from './events.ts';
import type { LiveStreamStore } from './live-streams.ts';
import type { MigrateOptions, MigrationOutcome, MigrationPlan } from './migration.ts';
import type { AppSql } from './app-sql.ts';

/** The store contracts of one database, by their names: the one list of them. */
export interface StepStores {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly rateLimits: RateLimitStore;
  readonly events: EventStore;
  readonly counters: CounterStore;
  readonly emailVerifications: MailTokenStore;
  readonly passwordResets: MailTokenStore;
  readonly oneTimeIds: OneTimeIdStore;
  readonly mfa: MfaStore;
  readonly oauthAccounts: OAuthAccountStore;
  /** The rows of the entities that the stores were opened with. */
  readonly entities: EntityStore;
  readonly roleAssignments: RoleAssignmentStore;
  readonly groups: GroupStore;
  readonly hierarchy: HierarchyStore;
  readonly flags: FlagStore;
  readonly subscriptions: SubscriptionStore;
  readonly wallets: WalletStore;
  /** Missing if one call would save nothing. */
  readonly tenantSnapshots?: TenantSnapshotStore;
  /** The feed of changes. */
  readonly changes: ChangeStore;
  readonly liveStreams: LiveStreamStore;
}

/**
 * The store contracts on one database, and transactions over several of their steps.
 *
 * Every method is atomic, and correct with many processes on the database. If the database can't be reached, is locked
 * for too long or runs out of connections, a method throws a `CodedError` with the code `SERVICE_UNAVAILABLE` and
 * `retryAfter`. An acknowledged write is durable. Not every engine can store texts with U+0000 or half a surrogate
 * pair: a method that receives such a text changes nothing, and throws a `CodedError` `VALIDATION_FAILED` or finds
 * nothing. Inside JSON they are allowed.
 */
export interface TransactionStores extends StepStores {
  /**
   * Locks a name until the transaction ends: others that lock the same name wait until then, in other processes, too.
   * Use it to guard invariants over several rows that no single step can guard. A lock taken in an inner transaction
   * may end if that one is rolled back.
   *
   * @param name - any text; the part before the first colon names the operation
   * @throws TypeError outside of a transaction
   */
  lock(name: string): Promise<void>;

  /** Runs statements of the app's own: in the transaction, or outside of one in one of their own. */
  readonly sql: AppSql;

  /**
   * The connection that the transaction is on, for a query builder of the app: a client of pg, or a database of
   * better-sqlite3; undefined outside of a transaction, and in memory. Wait for each of its statements, and end neither
   * the transaction nor the connection. Once the transaction has ended, others use it.
   */
  readonly raw: unknown;

  /**
   * Runs `work` in a transaction: all its steps on the stores it is given commit together when it resolves, or none if
   * it throws; the error is rethrown. No other transaction sees them before the commit. A read inside may see later
   * commits of other transactions, so decisions belong in the steps, not between them.
   *
   * Inside a transaction, it creates a savepoint: an inner `work` that throws rolls back only its own steps. The stores
   * given to `work` can't be used after it ends: a later call throws `TypeError`. Keep `work` short: other writers may
   * have to wait, on some engines all of them (after 2 s: `SERVICE_UNAVAILABLE`). After 5 s, the transaction is rolled
   * back and throws `SERVICE_UNAVAILABLE`, as do later calls on its stores. Never wait inside `work` for a write
   * through the outer stores: that write waits for the transaction.
   */
  transaction<T>(work: (stores: TransactionStores) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** How a transaction is run. */
export interface TransactionOptions {
  /**
   * Whether `work` may run once more, in a new transaction, if the database rolls it back to resolve a conflict.
   * Default false: it throws `SERVICE_UNAVAILABLE`. For `work` without side effects other than its steps.
   */
  readonly retryable?: boolean;

  /**
   * Whether `work` is a few steps and waits for nothing else, so that it may share a commit with other writes if that
   * is cheaper. Default false. It fails together with them if that commit fails, or if one of them takes over 5 s.
   */
  readonly groupCommit?: boolean;
}

/** All stores of one database. */
export interface Stores extends TransactionStores {
  /** The clock that all steps use. Code that works with the stores should use it, too. */
  readonly clock: Clock;

  readonly changes: ChangeFeed;

  /**
   * Calls a listener for every session that a step ended, or whose `ver` it raised, until the returned function is
   * called.
   *
   * In this process, it is called after the commit and before the call that caused it (that of the outermost
   * transaction) resolves; steps that were rolled back are not reported. Steps of other processes on the database are
   * reported soon after if the engine can broadcast, and not at all otherwise. A listener must not throw.
   */
  onRevoked(listener: (revocation: Revocation) => void): () => void;

  /**
   * Migrates the database to the schema of this version, and the tables of entities to their declaration. Idempotent,
   * and safe to call from many processes at once.
   *
   * The database keeps the history of declarations. An earlier one than the current runs on the current tables, by
   * the names it knows, and changes nothing; values that only one of both declares are kept. A new column needs a
   * default, a backfill, or must be nullable; a rename is declared by `renamedFrom`.
   *
   * @throws MigrationError if the schema is newer than this version, a migration was edited after it was applied, the
   * tables can't follow their declaration, or a step that this version needs waits for `allowContract`; nothing is
   * changed then
   */
  migrate(options?: MigrateOptions): Promise<MigrationOutcome>;

  /** Returns the steps that `migrate()` would take on the tables of entities, and changes nothing. */
  planMigration(options?: Pick<MigrateOptions, 'revert'>): Promise<MigrationPlan>;

  /** Resolves if the database answers and has a schema. Throws `SERVICE_UNAVAILABLE` otherwise. */
  ping(): Promise<void>;

  /**
   * Reads the clock of the database server, independently of {@link clock}; `null` if the database has no server and is
   * on this machine. Needs no schema. Throws `SERVICE_UNAVAILABLE` if the server can't be reached.
   */
  readServerTime(): Promise<Date | null>;

  /**
   * Waits for steps in progress, at most 5 s for a transaction, and closes the database. Idempotent; later calls on the
   * stores throw.
   */
  close(): Promise<void>;
}
