import type pg from 'pg';
import { ConfigurationError, toLogger } from '@x/errors';
import { type Clock, storeUnavailable } from '@x/store';
import { defaultPatience, InFlightCalls, maxTransactionMs } from '@x/store/engine';
import { applyMigrations, type Migration, type SqlDriver, type SqlEngineOptions, type SqlExecutor } from '@x/store-sql';
import { postgresDialect } from './dialect.ts';
import { orStoreError } from './errors.ts';
import { createExecutor } from './executor.ts';
import { DatabaseHosts } from './hosts.ts';
import { withMigrationSession } from './migrate.ts';
import { ConnectionPool } from './pool.ts';
import { RevocationSubscription } from './revocations.ts';
import { isSameDatabase, leadElsewhere } from './same-database.ts';
import { PatientStart } from './start.ts';
import { toTimeouts } from './timeouts.ts';

interface PostgresDriverOptions extends Pick<SqlEngineOptions, 'logger' | 'patience'> {
  readonly url?: string | undefined;
  /** A pool of the app, instead of `url`. */
  readonly pool?: pg.Pool | undefined;
  readonly listenUrl?: string | undefined;
  readonly pooled?: boolean | 'auto' | undefined;
  readonly clock: Clock;
  readonly maxConnections: number;
  readonly migrations: readonly Migration[];
  /** How long a transaction, or a close, may take in milliseconds; 5000 by default. Tests shorten it. */
  readonly limitMs?: number;
}

/** Builds the driver of one Postgres database. It connects when it is first used. */
export function createPostgresDriver(options: PostgresDriverOptions): SqlDriver {
  const { url = '', listenUrl, pool: given, clock, migrations, limitMs = maxTransactionMs } = options;
  const { patience = defaultPatience } = options;
  const { startMs = defaultPatience.startMs } = patience;
  const timeouts = toTimeouts(patience);
  const { connectMs } = timeouts;
  // The app uses the connections of its pool, too, so the stores must leave their sessions unchanged.
  const { maxConnections, pooled = 'auto' } = given ? { maxConnections: given.options.max, pooled: true } : options;
  const logger = toLogger(options.logger);
  const warn = (message: string): void => logger.warn({}, message);
  const [option, where] = given ? (['pool', toClientConfig(given)] as const) : (['url', url] as const);
  const hosts = new DatabaseHosts(where, connectMs);
  const startHosts = new DatabaseHosts(where, Math.min(startMs, maxStartConnectMs));
  const pool = new ConnectionPool({ hosts, max: maxConnections, given, pooled, timeouts });
  const inFlight = new InFlightCalls();
  const stopped = new AbortController();
  const executor = createExecutor({ pool, connections: maxConnections, inFlight, timeouts, limitMs });
  const listenHosts = listenUrl === undefined ? hosts : new DatabaseHosts(listenUrl, connectMs);
  const subscription = new RevocationSubscription({
    hosts: listenHosts,
    isSameDatabase: async (client) => listenUrl === undefined || isSameDatabase(client, executor),
    pooled: listenUrl === undefined ? (options.pooled ?? 'auto') : false,
    sql: executor,
    warn,
  });
  const close = async (): Promise<void> => {
    const deadline = performance.now() + limitMs;
    stopped.abort();
    subscription.stop();
    await inFlight.drain(limitMs);
    await pool.close(deadline - performance.now());
  };

  const schema = { dialect: postgresDialect, known: migrations, clock };
  let closing: Promise<void> | undefined;
  return {
    dialect: postgresDialect,
    ...executor,
    migrate: (andThen) =>
      inFlight.run(async () => {
        const { database } = pool;
        const start = new PatientStart({ option, database, startMs, warn, stopped: stopped.signal });
        await start.run(async () => {
          const config = await orStoreError(() => startHosts.locate());
          await withMigrationSession(config, start, (session) => applyMigrations(session, { ...schema, andThen }));
        });
        // A first connection is slow while many processes start, and later calls are less patient.
        if (!given) await start.run(async () => (await pool.take(performance.now() + timeouts.callMs)).release());
        if (listenUrl !== undefined && (await leadElsewhere(listenHosts, executor))) {
          throw new ConfigurationError(['listenUrl: leads to another database than url.']);
        }
        await subscription.established();
      }),
    ping: () => ping(executor),
    async readServerTime() {
      const [row] = await executor.read(selectTime, []);
      return new Date(Number(row?.['milliseconds']));
    },
    subscribe: (publish) => subscription.start(publish),
    claim: (revocations) => subscription.claim(revocations),
    watchChanges: (onHint) => subscription.watch(onHint),
    close: () => (closing ??= close()),
  };
}

/** How long a start waits for one connection before it tries another one, in milliseconds. */
const maxStartConnectMs = 10_000;

/** Returns how a pool opens connections, except for its limits of statements, which would end migrations. */
function toClientConfig({ options }: pg.Pool): pg.ClientConfig {
  return {
    ...options,
    // It is hidden from copies.
    password: options.password,
    statement_timeout: undefined,
    lock_timeout: undefined,
    idle_in_transaction_session_timeout: undefined,
    query_timeout: undefined,
  };
}

const selectTime = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS milliseconds';

/**
 * Sends a write that changes nothing. A read-only server refuses it, also on a connection from before it became
 * read-only.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` if the database does not answer, takes no writes, or no migration was
 * applied
 */
async function ping(sql: SqlExecutor): Promise<void> {
  try {
    await sql.write('UPDATE auth_counters SET value = value WHERE FALSE', []);
  } catch (error) {
    // A missing table is a fault elsewhere, but here it means that no migration was applied.
    throw storeUnavailable(error);
  }
}
