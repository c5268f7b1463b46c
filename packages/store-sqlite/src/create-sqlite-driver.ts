import { resolve } from 'node:path';
import { toLogger } from '@x/errors';
import type { Clock } from '@x/store';
import {
  applyMigrations,
  inSavepoint,
  type Migration,
  type OpenTransaction,
  type SqlDriver,
  type SqlEngineOptions,
  type SqlExecutor,
  withTransactionExecutor,
} from '@x/store-sql';
import { defaultPatience, InFlightCalls, maxTransactionMs } from '@x/store/engine';
import type { SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { orUnavailable } from './errors.ts';
import { createMigrationSession } from './migrate.ts';
import { adoptWriter, openReader, openWriter, type WriterOptions } from './open-connection.ts';
import { WorkerQueries, type WorkerQueriesOptions } from './query/worker-queries.ts';
import { watchVersion } from './watch-version.ts';
import { Writer } from './writer.ts';

interface SqliteDriverOptions
  extends Pick<WriterOptions, 'synchronous'>, Pick<SqlEngineOptions, 'logger' | 'patience'> {
  readonly path: string;
  /** The database of better-sqlite3 that the app has opened at `path`. Default: the driver opens one. */
  readonly database?: unknown;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  /** How long a transaction, or a close, may take in milliseconds; 5000 by default. Tests shorten it. */
  readonly limitMs?: number;
  /** The limits of queries on a file. Tests change them. */
  readonly queryLimits?: QueryLimits;
}

/** The time limits of queries, in milliseconds, and the number of threads that run them. */
export type QueryLimits = Partial<Omit<WorkerQueriesOptions, 'path' | 'reader' | 'warn'>>;

/**
 * Builds the driver of one SQLite database: one connection that writes and, for a file, another one that reads, and
 * threads for long queries. A database in memory has a single connection, so reads wait while a transaction is open.
 */
export function createSqliteDriver(options: SqliteDriverOptions): SqlDriver {
  const { path, database, clock, synchronous, migrations, limitMs = maxTransactionMs, queryLimits } = options;
  const logger = toLogger(options.logger);
  const warn = (message: string): void => logger.warn({}, message);
  const { waitMs, startMs = defaultPatience.startMs } = options.patience ?? defaultPatience;
  const file = path === ':memory:' ? null : resolve(path);
  const connection =
    database === undefined
      ? openWriter({ path: file ?? ':memory:', synchronous, waitMs })
      : adoptWriter(database, synchronous);
  const reader = file === null ? null : openReader(file, waitMs);
  const queries =
    file === null || reader === null
      ? null
      : new WorkerQueries({ maxWaitMs: waitMs, ...queryLimits, path: file, reader, warn });
  const writer = new Writer(connection, waitMs);
  const inFlight = new InFlightCalls();

  const write: SqlExecutor['write'] = (text, values) =>
    inFlight.run(() => writer.step((transaction) => transaction.all(text, values)));
  const inExecutor = <T>(transaction: OpenTransaction, work: (executor: SqlExecutor) => Promise<T>): Promise<T> =>
    withTransactionExecutor(transaction, work, waitMs);
  const step = <T>(work: (executor: SqlExecutor) => Promise<T>, stepLimitMs?: number): Promise<T> =>
    inFlight.run(() =>
      writer.step((transaction) => inSavepoint(transaction, () => inExecutor(transaction, work)), stepLimitMs),
    );
  const warnOfWait = (): void =>
    warn(`The start waits, for up to ${startMs / 1000} s, until another process has written to ${path}.`);
  const close = async (): Promise<void> => {
    // The writer and the threads have limits for all calls in flight.
    await Promise.all([inFlight.drain(Infinity), writer.close(limitMs)]);
    await queries?.close();
    reader?.close();
  };

  let closing: Promise<void> | undefined;
  return {
    dialect: sqliteDialect,
    read: (text, values) =>
      inFlight.run(() => (reader ? reader.all(text, values) : writer.alone(() => connection.all(text, values)))),
    query: (text, values, bounds) =>
      inFlight.run(() =>
        queries ? queries.run(text, values, bounds) : writer.alone(() => connection.query(text, values, bounds)),
      ),
    write,
    attempt: write,
    execute: (text, values) => inFlight.run(() => writer.step((transaction) => transaction.run(text, values))),
    step: (work) => step(work),
    transaction: (work, { groupCommit = false } = {}) =>
      groupCommit
        ? step(work, limitMs)
        : inFlight.run(() => writer.transaction((transaction) => inExecutor(transaction, work), limitMs)),
    migrate: (andThen) =>
      inFlight.run(() => {
        const session = createMigrationSession({ writer, connection, waitMs: startMs, warn: warnOfWait });
        return applyMigrations(session, { dialect: sqliteDialect, known: migrations, clock, andThen });
      }),
    ping: () => inFlight.run(() => (file === null ? writer.alone(() => readSchema(connection)) : pingFile(file))),
    readServerTime: () => inFlight.run(() => null),
    watchChanges: (onHint) => watchVersion(reader, onHint),
    close: () => (closing ??= close()),
  };
}

/**
 * Reads the schema of a database file on a new connection. Open connections would continue with a file that was
 * deleted, and with their cache of a file that was overwritten.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` if there is no schema
 */
function pingFile(path: string): void {
  const reader = orUnavailable(() => openReader(path));
  try {
    readSchema(reader);
  } finally {
    reader.close();
  }
}

/**
 * @throws CodedError `SERVICE_UNAVAILABLE` if no migration was applied
 */
function readSchema(connection: SqliteConnection): void {
  orUnavailable(() => connection.all('SELECT 1 FROM auth_migrations LIMIT 1', []));
}
