import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, storeUnavailable } from '@x/store';
import {
  applyNextMigration,
  type Migration,
  type MigrationExecutor,
  type MigrationSession,
  type SqlRow,
  type SqlValues,
  toValues,
} from '@x/store-sql';
import pg from 'pg';
import { buildIndex } from './build-index.ts';
import { withClient } from './client.ts';
import type { OneStatement } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { assertUtf8 } from './encoding.ts';
import { orStoreError } from './errors.ts';
import { selectLocalMeaning } from './settings.ts';
import { answerMs } from './timeouts.ts';

/** The options of a migration run. */
export interface MigrationRun {
  /** How to connect to the database. Secret. */
  readonly config: pg.ClientConfig;
  /** The option that says where the database is. */
  readonly option: 'url' | 'pool';
  readonly turn: MigrationTurn;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  /** Runs after the migrations. */
  readonly andThen: ((session: MigrationSession) => Promise<void>) | undefined;
}

/** How a process waits for those that migrate the same database. */
interface MigrationTurn {
  /** How long, in milliseconds. */
  readonly waitMs: number;
  /** Called when it is not a matter of moments. */
  readonly onWait: () => void;
}

/** How long a statement may take. */
const migrationMs = 60_000;

/** Begins a transaction in which a process that had to wait sees what was committed meanwhile. */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = ${migrationMs};
  ${selectLocalMeaning};
  SAVEPOINT begun`;

/** Ends what a dead process was running at once, rather than with its statement. A server on Windows can't detect it. */
const detectDeath = 'SET LOCAL client_connection_check_interval = 500';

/**
 * The advisory lock that serializes migrations of one database; an arbitrary number that nobody else is likely to use.
 */
const lockKey = 7_281_643_905;

/**
 * Applies every pending migration, each in a transaction that also determines which one it is. Processes take turns,
 * and if one dies, the server rolls back what it had begun.
 */
export async function migrate(run: MigrationRun): Promise<void> {
  const { config, option, turn, clock, migrations, andThen } = run;
  const queryMs = Math.max(migrationMs, turn.waitMs) + answerMs;
  const applyNext = (executor: MigrationExecutor): Promise<boolean> =>
    applyNextMigration(executor, { dialect: postgresDialect, known: migrations, now: clock.now() });
  await orStoreError(() =>
    withClient({ ...config, query_timeout: queryMs }, async (client) => {
      await assertUtf8(client, option);
      while (await inExclusiveTransaction(client, turn, applyNext));
      await andThen?.({
        transaction: (work) => inPatientTransaction(client, turn, work),
        buildIndex: (index) => buildIndex(config, index),
      });
    }),
  );
}

/** The SQLSTATE of a statement that waited for a lock for too long. */
const lockNotAvailable = '55P03';

/** How long a change of a table may wait for others, since everybody else waits behind it meanwhile. */
const tableLockMs = 500;

/** Begins again when a statement would make others wait for it, in a pause in which they can continue. */
async function inPatientTransaction<T>(
  client: pg.Client,
  turn: MigrationTurn,
  work: (executor: MigrationExecutor) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + migrationMs;
  for (;;) {
    try {
      return await inExclusiveTransaction(client, turn, async (executor) => {
        await client.query(`SET LOCAL lock_timeout = ${tableLockMs}`);
        return work(executor);
      });
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      if (!isLockTimeout(error) || performance.now() > deadline) throw error;
    }
    await sleep(tableLockMs);
  }
}

/** If it throws, the connection is closed next, which rolls back its work. */
async function inExclusiveTransaction<T>(
  client: pg.Client,
  turn: MigrationTurn,
  work: (executor: MigrationExecutor) => Promise<T>,
): Promise<T> {
  await client.query(begin);
  await client.query(detectDeath).catch(() => client.query('ROLLBACK TO begun'));
  await awaitTurn(client, turn);
  const outcome = await work(toMigrationExecutor(client));
  await client.query('COMMIT');
  return outcome;
}

/** When to say that others take their time. */
const momentMs = 1000;

/** Waits for the lock of migrations. Limits of single statements hold from then on. */
async function awaitTurn(client: pg.Client, { waitMs, onWait }: MigrationTurn): Promise<void> {
  const timer = setTimeout(onWait, momentMs).unref();
  try {
    await client.query(`SET LOCAL lock_timeout = ${waitMs}; SELECT pg_advisory_xact_lock(${lockKey})`);
  } catch (error) {
    throw isLockTimeout(error) ? storeUnavailable(new Error('Other processes migrate it.', { cause: error })) : error;
  } finally {
    clearTimeout(timer);
  }
  await client.query(`SET LOCAL statement_timeout = ${migrationMs}; SET LOCAL lock_timeout = ${migrationMs}`);
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === lockNotAvailable;
}

function toMigrationExecutor(client: pg.Client): MigrationExecutor {
  const query = (text: string, values: SqlValues): Promise<pg.QueryResult<SqlRow>> =>
    client.query<SqlRow>(text, [...toValues(values)]);
  return {
    read: async (text, values) => (await query(text, values)).rows,
    execute: async (text, values) => (await query(text, values)).rowCount ?? 0,
    async own(text, values) {
      const statement: OneStatement = { text, values: [...toValues(values)], types: pg.types, queryMode: 'extended' };
      return (await client.query<SqlRow>(statement)).rows;
    },
    runScript: async (text) => void (await client.query(text)),
  };
}
