import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ConfigurationError, type LoggerOption, toLogger } from '@x/errors';
import { type Clock, isQueryTooExpensive, storeUnavailable, type TransactionOptions } from '@x/store';
import { defaultPatience, FairQueue, maxTransactionMs, type Patience, withTimeLimit } from '@x/store/engine';
import {
  InFlightCalls,
  type Migration,
  type QueryOptions,
  type QueryResult,
  type SqlDriver,
  type SqlRow,
  type SqlExecutor,
  type SqlValues,
  withTransactionExecutor,
} from '@x/store-sql';
import type { PostgresConnection } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { isRolledBack, orStoreError } from './errors.ts';
import { DatabaseHosts } from './hosts.ts';
import { migrate } from './migrate.ts';
import { ConnectionPool } from './pool.ts';
import type { Effort } from './settings.ts';
import { RevocationSubscription } from './revocations.ts';
import { isSameDatabase, leadElsewhere } from './same-database.ts';
import { PatientStart } from './start.ts';
import { beforeRepeatMs, toTimeouts } from './timeouts.ts';
import { PostgresTransaction } from './transaction.ts';

/** The options of a driver. */
interface PostgresDriverOptions {
  readonly url?: string | undefined;
  /** A pool of the app, instead of `url`. */
  readonly pool?: pg.Pool | undefined;
  /** A direct connection to the same database. Default: `url`. */
  readonly listenUrl?: string;
  readonly clock: Clock;
  readonly maxConnections: number;
  /** Default `auto`. */
  readonly pooled?: boolean | 'auto';
  /** Gets each warning at most once. */
  readonly logger?: LoggerOption;
  readonly migrations: readonly Migration[];
  /** How long a transaction, or a close, may take in milliseconds; 5000 by default. Tests shorten it. */
  readonly limitMs?: number;
  /** How long calls wait. Tests change it. */
  readonly patience?: Patience;
}

type Work<T> = (executor: SqlExecutor) => Promise<T>;

/** Builds the driver of one Postgres database. It connects when it is first used. */
export function createPostgresDriver(options: PostgresDriverOptions): SqlDriver {
  const { url = '', listenUrl, pool: given, clock, migrations, limitMs = maxTransactionMs } = options;
  const { patience = defaultPatience } = options;
  const { startMs = defaultPatience.startMs } = patience;
  const timeouts = toTimeouts(patience);
  const { callMs, connectMs, statementMs } = timeouts;
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
  const queue = createQueue(maxConnections, callMs);

  const endOfCall = (): number => performance.now() + callMs;

  /** Gives work a connection, and the moment at which the call has to end, which includes the wait. */
  const withConnection = <T>(
    keys: QueueKeys,
    use: (connection: PostgresConnection, endsAt: number) => Promise<T>,
    endsAt = endOfCall(),
  ): Promise<T> => {
    const take = async (): Promise<T> => {
      const connection = await pool.take(endsAt);
      try {
        return await use(connection, endsAt);
      } finally {
        connection.release();
      }
    };
    return queue.run(keys, take, { maxWaitMs: endsAt - performance.now() });
  };
  const run = (text: string, values: SqlValues, effort: Effort): Promise<pg.QueryResult<SqlRow>> =>
    inFlight.run(() =>
      withConnection(statementKeys, (connection, endsAt) => connection.run({ text, values, effort }, endsAt)),
    );
  const query = (text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> => {
    const endsAt = endOfCall();
    const runWithin = (limitMs: number, keys: QueueKeys): Promise<QueryResult> =>
      withConnection(keys, (connection) => connection.query(text, values, { ...options, endsAt, limitMs }), endsAt);
    const { caller, mayScan } = options;
    const keys = [lists, `of ${caller ?? ''}`];
    const longKeys = [longLists, `long of ${caller ?? ''}`, ...keys];
    return inFlight.run(async () => {
      if (!mayScan) return runWithin(statementMs, keys);
      // Each burst of searches of one user costs other users one slice. The app's own searches may cost more.
      if (typeof caller === 'string' && queue.countOf(`long of ${caller}`) > 0) return runWithin(statementMs, longKeys);
      try {
        return await runWithin(sliceMs, keys);
      } catch (error) {
        if (!isQueryTooExpensive(error)) throw error;
      }
      return runWithin(statementMs, longKeys);
    });
  };
  /** Runs work that has to end at a moment, and whose commit may take some time after that. */
  const inTransaction = <T>(work: Work<T>, endsAt: number, commitMs: number): Promise<T> =>
    inFlight.run(() =>
      withConnection(statementKeys, async (connection, firstEndsAt) => {
        const open = new PostgresTransaction(connection, { endsAt, firstEndsAt, callMs, statementMs });
        try {
          await open.begin();
          const leftMs = endsAt - performance.now();
          const result = await withTimeLimit(leftMs, () => withTransactionExecutor(open, work, patience.waitMs));
          await open.commit(Math.min(endOfCall(), endsAt + commitMs));
          return result;
        } catch (error) {
          await open.rollback();
          throw error;
        }
      }),
    );
  const transaction = async <T>(work: Work<T>, { retryable = false }: TransactionOptions = {}): Promise<T> => {
    const endsAt = performance.now() + limitMs;
    for (;;) {
      try {
        return await inTransaction(work, endsAt, callMs);
      } catch (error) {
        if (!retryable || !isRolledBack(error) || performance.now() >= endsAt) throw error;
      }
      await sleep(beforeRepeatMs);
    }
  };
  const read: SqlExecutor['read'] = async (text, values) => (await run(text, values, 'read')).rows;
  const write: SqlExecutor['write'] = async (text, values) => (await run(text, values, 'write')).rows;
  const listenHosts = listenUrl === undefined ? hosts : new DatabaseHosts(listenUrl, connectMs);
  const subscription = new RevocationSubscription({
    hosts: listenHosts,
    isSameDatabase: async (client) => listenUrl === undefined || isSameDatabase(client, transaction),
    pooled: listenUrl === undefined ? (options.pooled ?? 'auto') : false,
    read,
    write,
    warn,
  });
  const close = async (): Promise<void> => {
    const deadline = performance.now() + limitMs;
    stopped.abort();
    subscription.stop();
    await inFlight.drain(limitMs);
    await pool.close(deadline - performance.now());
  };

  let closing: Promise<void> | undefined;
  return {
    dialect: postgresDialect,
    read,
    query,
    write,
    attempt: write,
    execute: async (text, values) => (await run(text, values, 'write')).rowCount ?? 0,
    step: (work) => inTransaction(work, endOfCall(), 0),
    transaction,
    migrate: (andThen) =>
      inFlight.run(async () => {
        const { database } = pool;
        const start = new PatientStart({ option, database, startMs, warn, stopped: stopped.signal });
        await start.run(async () => {
          const config = await orStoreError(() => startHosts.locate());
          await migrate({ config, start, clock, migrations, andThen });
        });
        // A first connection is slow while many processes start, and later calls are less patient.
        if (!given) await start.run(async () => (await pool.take(endOfCall())).release());
        if (listenUrl !== undefined && (await leadElsewhere(listenHosts, transaction))) {
          throw new ConfigurationError(['listenUrl: leads to another database than url.']);
        }
        await subscription.established();
      }),
    ping: () => ping(write),
    async readServerTime() {
      const [row] = await read(selectTime, []);
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

/** The keys of a call in the fair queue: one for statements; one for lists, and one for their caller. */
type QueueKeys = readonly string[];

const [statements, lists, longLists] = ['statements', 'lists', 'long lists'];

const statementKeys: QueueKeys = [statements];

/**
 * How long a list that may visit any number of rows runs before it starts again among the long ones, in milliseconds.
 */
const sliceMs = 100;

/**
 * Creates the fair queue of the calls that wait for a connection. Lists get at most half of the connections, so that
 * other statements need not wait for lists, and one caller at most half of that half. Long lists get a quarter of that
 * half, so that other lists need not wait for them.
 */
function createQueue(connections: number, maxWaitMs: number): FairQueue {
  const ofLists = Math.max(1, Math.floor(connections / 2));
  const ofOne = Math.max(1, Math.floor(ofLists / 2));
  const ofLong = Math.max(1, Math.floor(ofLists / 4));
  const limits: Readonly<Record<string, number>> = {
    [statements]: connections,
    [lists]: ofLists,
    [longLists]: ofLong,
  };
  return new FairQueue({ concurrency: connections, concurrencyPerKey: (key) => limits[key] ?? ofOne, maxWaitMs });
}

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
async function ping(write: SqlExecutor['write']): Promise<void> {
  try {
    await write('UPDATE auth_counters SET value = value WHERE FALSE', []);
  } catch (error) {
    // A missing table is a fault elsewhere, but here it means that no migration was applied.
    throw storeUnavailable(error);
  }
}
