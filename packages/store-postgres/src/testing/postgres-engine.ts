import type { Clock, Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { patient, sampleEntities, type StoreEngine, type TestLimits } from '@x/store-testing';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { createPostgresDriver } from '../create-postgres-driver.ts';
import { migrations } from '../migrations/migrations.ts';

/** How the stores of a test reach its database. Default: directly. */
export interface PostgresRoute {
  /** Returns the URL of another server than that of this run. */
  readonly findServer?: () => string;
  /** The most connections to a database. */
  readonly connections?: number;
  /** Returns the URL of a database through a proxy or pooler. */
  readonly toUrl?: (databaseUrl: string) => string;
  /** Whether notifications come directly nevertheless. */
  readonly listensDirectly?: boolean;
  /** Whether the stores are given a pool of the app. */
  readonly givesPool?: boolean;
}

/** Makes Postgres databases. That takes long, so databases of ended tests are emptied and used again. */
export function createPostgresEngine({
  findServer,
  connections = Infinity,
  toUrl = (url) => url,
  listensDirectly = false,
  givesPool = false,
}: PostgresRoute = {}): StoreEngine {
  return {
    hasSql: true,
    hasConcurrentWriters: true,
    connections,

    async createDatabase({ changes = false } = {}) {
      const idle = changes ? following : plain;
      const database = idle.pop() ?? (await createMigrated(changes, findServer?.()));
      const url = toUrl(database.url);
      const opened: Stores[] = [];
      const pools: pg.Pool[] = [];
      const open = async (clock: Clock, limits?: TestLimits): Promise<Stores> => {
        const pool = givesPool ? openAppPool({ connectionString: url }) : undefined;
        if (pool) pools.push(pool);
        const stores = openStores(
          { url, pool, changes, ...(listensDirectly && { listenUrl: database.url }) },
          clock,
          limits,
        );
        opened.push(stores);
        return stores;
      };
      return {
        open,
        async countWaiting() {
          const { rows } = await database.client.query<{ count: number }>(countWaiting);
          return rows[0]?.count ?? 0;
        },
        async drop() {
          await Promise.all(opened.map((stores) => stores.close()));
          await Promise.all(pools.map((pool) => pool.end()));
          await database.client.query(tables.map((table) => `DELETE FROM ${table}`).join(';'));
          idle.push(database);
        },
      };
    },
  };
}

/**
 * Opens a pool like an app's. It survives the loss of idle connections, also while they close: `end` does not wait for
 * that, and a database that is dropped meanwhile cuts them.
 */
export function openAppPool(config: pg.PoolConfig): pg.Pool {
  return new pg.Pool(config).on('error', () => undefined);
}

/** A database with the current schema, and the connection that empties it. */
interface Migrated extends PostgresDatabase {
  readonly client: pg.Client;
}

const countWaiting = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const plain: Migrated[] = [];

/** Databases that keep the feed of changes. */
const following: Migrated[] = [];

/** Drops the remaining databases, after the last test of a file or on a server. */
export async function dropDatabases(): Promise<void> {
  const idle = [...plain.splice(0), ...following.splice(0)];
  await Promise.all(idle.map((database) => database.client.end().then(() => database.drop())));
}

async function createMigrated(changes: boolean, server?: string): Promise<Migrated> {
  const database = await createPostgresDatabase(server);
  const stores = openStores({ url: database.url, changes }, { now: () => new Date(0) });
  await stores.migrate();
  await stores.close();
  const client = new pg.Client(database.url);
  await client.connect();
  return { ...database, client };
}

/** Tables whose rows do not cascade from other tables, and tables whose rows other tables restrict. */
const tables: readonly string[] = [
  ...['auth_users', 'auth_rate_limits', 'auth_events', 'auth_counters', 'auth_one_time_ids', 'auth_revocations'],
  ...['access_role_assignments', 'access_edges', 'access_closure', 'access_flags'],
  ...['access_groups', 'access_memberships', 'access_group_closure'],
  ...['access_subscriptions', 'access_add_ons', 'access_overrides', 'access_wallets', 'access_consumptions'],
  ...sampleEntities.map(({ name }) => `app_${name.replaceAll('-', '_')}`).toReversed(),
  ...['live_streams', 'live_changes'],
];

interface StoreUrls {
  readonly url: string;
  readonly pool?: pg.Pool | undefined;
  readonly listenUrl?: string;
  readonly changes: boolean;
}

function openStores({ changes, ...urls }: StoreUrls, clock: Clock, limits: TestLimits = {}): Stores {
  const driver = createPostgresDriver({
    ...urls,
    clock,
    logger: false,
    // Starting processes takes longest, and four of them still make 16 calls at once.
    maxConnections: 4,
    migrations,
    limitMs: limits.maxTransactionMs ?? 60_000,
    patience: limits.patience ?? patient,
  });
  return createSqlStores({ driver, clock, entities: sampleEntities, changes });
}
