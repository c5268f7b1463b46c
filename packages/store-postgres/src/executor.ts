import { setTimeout as sleep } from 'node:timers/promises';
import { tooBusy } from '@x/errors';
import { isQueryTooExpensive, type TransactionOptions } from '@x/store';
import { FairQueue, type InFlightCalls, withTimeLimit } from '@x/store/engine';
import {
  type QueryOptions,
  type QueryResult,
  type SqlExecutor,
  type SqlRow,
  type SqlValues,
  withTransactionExecutor,
} from '@x/store-sql';
import type pg from 'pg';
import type { PostgresConnection } from './connection.ts';
import { isRolledBack, isUnanswered } from './errors.ts';
import type { ConnectionPool } from './pool.ts';
import type { Needs } from './settings.ts';
import { beforeRepeatMs, type Timeouts } from './timeouts.ts';

interface ExecutorOptions {
  readonly pool: ConnectionPool;
  /** How many connections the pool has at most. */
  readonly connections: number;
  readonly inFlight: InFlightCalls;
  readonly timeouts: Timeouts;
  /** How long a transaction may take, in milliseconds. */
  readonly limitMs: number;
}

type Work<T> = (executor: SqlExecutor) => Promise<T>;

/**
 * Creates what runs statements and transactions, each on a connection that a fair queue gives it. The limit of a call
 * includes its wait there.
 */
export function createExecutor({ pool, connections, inFlight, timeouts, limitMs }: ExecutorOptions): SqlExecutor {
  const { waitMs, callMs, statementMs } = timeouts;
  const queue = createQueue(connections);

  const endOfCall = (): number => performance.now() + callMs;

  /**
   * Gives work a connection once it is its turn. If a call outside of transactions is not answered after others were
   * ahead of it for long, while the database has served them, they were too many.
   */
  const withConnection = <T>(
    keys: QueueKeys,
    use: (connection: PostgresConnection) => Promise<T>,
    endsAt = endOfCall(),
  ): Promise<T> => {
    const take = async (): Promise<T> => {
      const isLate = endsAt - performance.now() < statementMs;
      let connection: PostgresConnection | undefined;
      try {
        connection = await pool.take(endsAt);
        return await use(connection);
      } catch (error) {
        const isUnserved = isLate && connection?.isInTransaction !== true && isUnanswered(error);
        throw isUnserved && pool.hasAnsweredSince(endsAt - callMs) ? tooBusy() : error;
      } finally {
        connection?.release();
      }
    };
    return queue.run(keys, take, { maxWaitMs: endsAt - performance.now() });
  };
  const run = (text: string, values: SqlValues, needs: Needs): Promise<pg.QueryResult<SqlRow>> =>
    inFlight.run(() => withConnection(statementKeys, (connection) => connection.execute(text, values, needs)));
  const query = (text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult> => {
    const endsAt = endOfCall();
    const runWithin = (limitMs: number, keys: QueueKeys): Promise<QueryResult> =>
      withConnection(keys, (connection) => connection.query(text, values, options, limitMs), endsAt);
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
      return runWithin(statementMs - sliceMs, longKeys);
    });
  };
  /** Runs work that has to end at a moment, and whose commit may take some time after that. */
  const inTransaction = <T>(work: Work<T>, endsAt: number, commitMs: number): Promise<T> =>
    inFlight.run(() =>
      withConnection(statementKeys, async (connection) => {
        try {
          await connection.begin(endsAt);
          const leftMs = endsAt - performance.now();
          const result = await withTimeLimit(leftMs, () => withTransactionExecutor(connection, work, waitMs));
          await connection.commit(Math.min(endOfCall(), endsAt + commitMs));
          return result;
        } catch (error) {
          await connection.rollback();
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
  const read: SqlExecutor['read'] = async (text, values) => (await run(text, values, { effort: 'read' })).rows;
  const write: SqlExecutor['write'] = async (text, values) => (await run(text, values, { effort: 'write' })).rows;
  return {
    read,
    query,
    write,
    attempt: write,
    execute: async (text, values) => (await run(text, values, { effort: 'write' })).rowCount ?? 0,
    step: (work) => inTransaction(work, endOfCall(), 0),
    transaction,
  };
}

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
function createQueue(connections: number): FairQueue {
  const ofLists = Math.max(1, Math.floor(connections / 2));
  const ofOne = Math.max(1, Math.floor(ofLists / 2));
  const ofLong = Math.max(1, Math.floor(ofLists / 4));
  const limits: Readonly<Record<string, number>> = {
    [statements]: connections,
    [lists]: ofLists,
    [longLists]: ofLong,
  };
  return new FairQueue({ concurrency: connections, concurrencyPerKey: (key) => limits[key] ?? ofOne });
}
