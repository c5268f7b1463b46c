import type { LoggerOption } from '@x/errors';
import type {
  Clock,
  EntityTable,
  MigrateOptions,
  MigrationOutcome,
  OwnMigration,
  Revocation,
  StepStores,
  Stores,
  TransactionStores,
} from '@x/store';
import {
  addStores,
  assertStorableText,
  type Patience,
  RevocationListeners,
  type StoreFactories,
} from '@x/store/engine';
import { createSqlFlags } from './access/flags.ts';
import { createSqlGroups } from './access/groups.ts';
import { createSqlHierarchy } from './access/hierarchy.ts';
import { createSqlRoleAssignments } from './access/role-assignments.ts';
import { createSqlSubscriptions } from './access/subscriptions.ts';
import { createSqlTenantSnapshots } from './access/tenant-snapshots.ts';
import { createSqlWallets } from './access/wallets.ts';
import { createSqlLiveStreams } from './live-streams.ts';
import { createSqlChanges, createSqlFeed } from './changes/changes.ts';
import { createSqlCounters } from './counters.ts';
import { createSqlEvents } from './events.ts';
import { appStatementsOf, createAppSql } from './app-sql.ts';
import { createSqlMailTokens } from './auth/mail-tokens.ts';
import { createSqlMfa } from './auth/mfa.ts';
import { createSqlOAuthAccounts } from './auth/oauth-accounts.ts';
import { createSqlOneTimeIds } from './auth/one-time-ids.ts';
import { createSqlRateLimits } from './auth/rate-limits.ts';
import type { PublishRevocations } from './auth/session-revocations.ts';
import { createSqlSessions } from './auth/sessions.ts';
import { createSqlUsers } from './auth/users.ts';
import { createSqlEntities } from './entity/entities.ts';
import { EntityLayout } from './evolution/entity-layout.ts';
import { evolveEntities } from './evolution/evolve-entities.ts';
import { checkOwnMigrations } from './evolution/own-migrations.ts';
import { planMigration } from './evolution/plan-migration.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlDriver } from './sql-driver.ts';
import type { SqlExecutor } from './sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from './store-dependencies.ts';

/** The options of the stores. */
export interface SqlStoresOptions extends SqlEngineOptions {
  readonly driver: SqlDriver;
  /** The only source of time. */
  readonly clock: Clock;
}

/** The options of stores on every engine. */
export interface SqlEngineOptions {
  /** The tables of the app's entities, which `migrate()` creates and changes. Default: none. */
  readonly entities?: readonly EntityTable[];
  /** Steps of the app's own that `migrate()` takes, such as changes of its own tables. Default: none. */
  readonly migrations?: readonly OwnMigration[];
  /**
   * Whether the database keeps the feed of changes, from the next `migrate()` on: triggers append each change to it.
   * `live` of a server needs it. Give it to all processes on the database, or to none. Default: no.
   */
  readonly changes?: boolean;
  /** Gets warnings, such as that a start waits. Default: the console; `false` logs nothing. */
  readonly logger?: LoggerOption;
  /**
   * How long calls wait. Default: 2 s, and 1 s for a connection. Tests on busy machines wait longer.
   *
   * @internal
   */
  readonly patience?: Patience;
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
export function createSqlStores(options: SqlStoresOptions): Stores {
  const { driver, clock, entities = [], migrations = [], changes: keepsChanges = false } = options;
  checkOwnMigrations(migrations);
  const { dialect } = driver;
  const shared: SqlStoreDependencies = { dialect, clock };
  const layout = new EntityLayout(entities, dialect);
  const listeners = new RevocationListeners();
  const publish: PublishRevocations = (revocations) => listeners.notify(driver.claim?.(revocations) ?? revocations);
  const subscribe = once(() => driver.subscribe?.((revocations) => listeners.notify(revocations)));
  const sessions = createSqlSessions(shared);
  const changes = createSqlChanges({ dialect, layout });
  const factories: StoreFactories<StorePlace> = {
    users: onSql(createSqlUsers(shared)),
    sessions: ({ sql, publish }) => sessions(sql, publish),
    rateLimits: onSql(createSqlRateLimits(shared)),
    events: onSql(createSqlEvents(shared)),
    counters: onSql(createSqlCounters),
    emailVerifications: onSql(createSqlMailTokens({ ...shared, table: 'auth_email_verifications' })),
    passwordResets: onSql(createSqlMailTokens({ ...shared, table: 'auth_password_resets' })),
    oneTimeIds: onSql(createSqlOneTimeIds(shared)),
    mfa: onSql(createSqlMfa(shared)),
    oauthAccounts: onSql(createSqlOAuthAccounts(shared)),
    entities: onSql(createSqlEntities({ ...shared, layout })),
    roleAssignments: onSql(createSqlRoleAssignments(shared)),
    groups: onSql(createSqlGroups(shared)),
    hierarchy: onSql(createSqlHierarchy(shared)),
    flags: onSql(createSqlFlags(shared)),
    subscriptions: onSql(createSqlSubscriptions(shared)),
    wallets: onSql(createSqlWallets({ ...shared, database: driver })),
    tenantSnapshots: onSql(createSqlTenantSnapshots(shared)),
    changes: onSql(changes),
    liveStreams: onSql(createSqlLiveStreams(shared)),
  };
  const declared = { entities, migrations, keepsChanges, dialect };
  const migrate = async (migrateOptions: MigrateOptions = {}): Promise<MigrationOutcome> => {
    let outcome: MigrationOutcome = { taken: [], waiting: [], notices: [] };
    await driver.migrate(async (session) => {
      outcome = await evolveEntities(session, { ...migrateOptions, ...declared, now: clock.now() });
      await session.transaction((executor) => layout.find(executor));
    });
    return outcome;
  };
  return {
    ...toStores({ factories, lockInside: createSqlLock(dialect) }, { sql: driver, publish }, lockOutside),
    clock,
    changes: createSqlFeed(driver, changes(driver), keepsChanges),
    onRevoked(listener) {
      subscribe();
      return listeners.add(listener);
    },
    migrate,
    planMigration: (plan = {}) => planMigration(driver, { ...plan, ...declared, now: clock.now() }),
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

/** Where stores are created: on the database, or in a transaction. */
interface StorePlace {
  readonly sql: SqlExecutor;
  readonly publish: PublishRevocations;
}

function onSql<Store>(create: OnExecutor<Store>): (place: StorePlace) => Store {
  return ({ sql }) => create(sql);
}

/** The parts that the stores of every place are created with. */
interface StoreParts {
  readonly factories: StoreFactories<StorePlace>;
  readonly lockInside: OnExecutor<Lock>;
}

/** Creates the stores of a place, which has a lock of its own. */
function toStores(parts: StoreParts, place: StorePlace, lock: Lock): TransactionStores {
  const { sql, publish } = place;
  const own: Omit<TransactionStores, keyof StepStores> = {
    lock,
    get sql() {
      return createAppSql(appStatementsOf(sql));
    },
    get raw() {
      return sql.appStatements?.connection;
    },
    async transaction(work, options) {
      let buffered: Revocation[] = [];
      const buffer: PublishRevocations = (revocations) => {
        for (const revocation of revocations) buffered.push(revocation);
      };
      const outcome = await sql.transaction((inner) => {
        buffered = [];
        return work(toStores(parts, { sql: inner, publish: buffer }, parts.lockInside(inner)));
      }, options);
      publish(buffered);
      return outcome;
    },
  };
  return addStores(own, parts.factories, place);
}

type Lock = TransactionStores['lock'];

/** Builds the function that locks names, for every transaction. */
function createSqlLock({ locks }: SqlDialect): OnExecutor<Lock> {
  if (locks === null) return () => async (name) => assertStorableText(name);
  const lock = `SELECT ${locks.exclusive('$1')}`;
  return (sql) => async (name) => void (await sql.read(lock, [name]));
}

/** Refuses a lock outside a transaction, which nothing would release. */
const lockOutside: Lock = async () => {
  throw new TypeError(
    'A name can only be locked inside a transaction: use the stores that stores.transaction passes on.',
  );
};
