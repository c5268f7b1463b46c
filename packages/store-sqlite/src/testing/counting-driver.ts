import type { Migration, QueryOptions, QueryResult, SqlDriver } from '@x/store-sql';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { createSqliteDriver, type QueryLimits } from '../create-sqlite-driver.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

/** The schema of {@link openCounting}. */
export const migrations: readonly Migration[] = [
  { number: 1, name: '0001_test', sql: 'CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT) STRICT;' },
];

/** Counts to a number, which takes about a second for ten million. */
export const countTo: string = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE is_in_time() AND i < $1)
  SELECT COUNT(*) AS count FROM n`;

/** Options of any query. */
export const any: QueryOptions = { mayScan: true, maxRows: 1 };

/** A driver, and functions that count on it. */
export interface CountingDriver extends AsyncDisposable {
  readonly driver: SqlDriver;
  readonly path: string;
  /** Counts to a number. */
  count(to: number, caller?: string): Promise<QueryResult>;
}

/** Limits that a busy machine does not reach. */
export const patientQueries: QueryLimits = { statementMs: 60_000, maxWaitMs: 60_000, idleMs: 60_000 };

/** Opens a driver on a new file. */
export async function openCounting(queryLimits: QueryLimits = patientQueries): Promise<CountingDriver> {
  const temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const own = { path, synchronous: 'FULL', migrations, queryLimits, patience: patient } as const;
  const driver = createSqliteDriver({ ...own, clock: new ManualClock() });
  await driver.migrate();
  return {
    driver,
    path,
    count: (to, caller = 'ada') => driver.query(countTo, [to], { ...any, caller }),
    async [Symbol.asyncDispose]() {
      await driver.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Makes the driver start a thread, which takes a while. */
export async function startThread(opened: CountingDriver): Promise<void> {
  await opened.count(100_000, 'eve');
}

/** The result of a count. */
export const countOf = (n: number): QueryResult => ({ rows: [{ count: n }], isCut: false });
