import type { Clock } from './clock.ts';
import type { ClosureStore } from './closure.ts';
import type { CounterStore } from './counters.ts';
import type { EntityStore } from './entity/entity-store.ts';
import type { EventStore } from './events.ts';
import type { FlagStore } from './flags.ts';
import type { MailTokenStore } from './mail-tokens.ts';
import type { MfaStore } from './mfa.ts';
import type { OAuthAccountStore } from './oauth-accounts.ts';
import type { OneTimeIdStore } from './one-time-ids.ts';
import type { RateLimitStore } from './rate-limits.ts';
import type { RoleAssignmentStore } from './role-assignments.ts';
import type { Revocation, SessionStore } from './sessions.ts';
import type { StandingStore } from './standings.ts';
import type { SubscriptionStore } from './subscriptions.ts';
import type { UserStore } from './users.ts';
import type { WalletStore } from './wallets.ts';

/**
 * The contracts, each working on one database, together with a way to join several steps.
 *
 * Every method is atomic by itself and correct with many processes on the database. A database that
 * can't be reached, is locked for too long or runs out of connections is a `CodedError` with the code
 * `SERVICE_UNAVAILABLE` and `retryAfter`; an acknowledged write is durable. Text holds neither U+0000 nor half
 * a surrogate pair: not every engine keeps them.
 */
export interface TransactionStores {
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
  /** Rows of the entities that the stores were opened with. */
  readonly entities: EntityStore;
  readonly roleAssignments: RoleAssignmentStore;
  readonly closure: ClosureStore;
  readonly flags: FlagStore;
  readonly subscriptions: SubscriptionStore;
  readonly wallets: WalletStore;
  /** Missing where one call is no less work than those that it stands for. */
  readonly standings?: StandingStore;

  /**
   * Takes the turn at whatever a name stands for, and keeps it until the transaction is over: others that ask for it wait
   * until then, those of other processes too. For what several rows decide together, where no single step can. A turn that was
   * taken in an inner transaction may be over where that one is undone.
   *
   * @param name - any text; what stands before its first colon names the operation
   * @throws TypeError outside of a transaction
   */
  takeTurn(name: string): Promise<void>;

  /**
   * Runs `work` so that all its steps on the stores it is handed commit together when it resolves, or none
   * when it throws; the error is thrown on. Nobody else sees them before. A read inside may see what others
   * commit meanwhile, so decisions belong into the steps, not between them.
   *
   * Inside a transaction it makes a savepoint: an inner `work` that throws undoes its own steps only. The
   * stores handed to `work` are over when it ends: a later call on them throws `TypeError`. Keep `work`
   * short: other writers may have to wait, on some engines all of them (after 2 s: `SERVICE_UNAVAILABLE`).
   * After 5 s it is undone and throws `SERVICE_UNAVAILABLE`, as do later calls on the stores of a `work` that goes on.
   * Waiting inside `work` for a write made through the outer stores waits for itself.
   */
  transaction<T>(work: (stores: TransactionStores) => Promise<T>): Promise<T>;
}

/** All stores of one database. */
export interface Stores extends TransactionStores {
  /** The clock that all steps go by. Whoever works with the stores goes by it too. */
  readonly clock: Clock;

  /**
   * Tells a listener of every session that a step ended, or raised the `ver` of, until the returned function is called.
   *
   * In this process it is told after the commit and before the call that caused it resolves, that of the outermost
   * transaction; what was undone is not told. Of other processes on the database it hears soon where the engine can
   * broadcast, and nothing elsewhere. A listener must not throw.
   */
  onRevoked(listener: (revocation: Revocation) => void): () => void;

  /**
   * Brings the database to the schema of this version, and the tables of entities to their declaration. Idempotent, and
   * safe to call from many processes at once.
   *
   * New columns need a default or may be null, columns that are declared no more keep their values, a rename is told by
   * `renamedFrom`; a column that may be null now, new and dropped indexes and unique columns are fine too.
   *
   * @throws MigrationError where the schema is newer than this version, a migration was edited after it was applied, or
   * the tables can't follow their declaration; nothing is changed then
   */
  migrate(): Promise<void>;

  /** Resolves where the database can serve: it answers and has a schema. Throws `SERVICE_UNAVAILABLE` otherwise. */
  ping(): Promise<void>;

  /**
   * Reads the clock of the database's server, whatever {@link clock} says; `null` where the database has no server and
   * lives on this machine. Needs no schema. Throws `SERVICE_UNAVAILABLE` where the server can't be reached.
   */
  readServerTime(): Promise<Date | null>;

  /**
   * Waits for steps under way, a transaction for 5 s at most, and lets go of the database. Idempotent; later calls
   * on the stores throw.
   */
  close(): Promise<void>;
}
