import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import { type MigrationExecutor, type MigrationSession, type SqlRow, toValues } from '@x/store-sql';
import pg from 'pg';
import { buildIndex } from './build-index.ts';
import { toReader, withClient } from './client.ts';
import type { PgQuery } from './connection.ts';
import { orStoreError } from './errors.ts';
import { selectLocalMeaning } from './settings.ts';
import type { PatientStart } from './start.ts';
import { answerMs } from './timeouts.ts';

/** How long a statement may take. */
const migrationMs = 60_000;

/** Begins a transaction in which a process that had to wait sees the commits made meanwhile. */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = ${migrationMs};
  ${selectLocalMeaning};
  SAVEPOINT started`;

/** Makes the server end a statement as soon as its client has died. A server on Windows can't detect that. */
const detectDeath = 'SET LOCAL client_connection_check_interval = 500';

/**
 * The advisory lock that serializes migrations of one database; an arbitrary number that no app is likely to use.
 */
const lockKey = 7_281_643_905;

/**
 * Gives work a session to migrate in, on a connection of its own. An advisory lock serializes the transactions of all
 * processes. If a process dies, the server rolls its transaction back.
 *
 * @param config - how to connect to the database; secret
 * @param start - how long the session waits for the lock
 * @throws ConfigurationError if the texts of the database are not in UTF8
 */
export async function withMigrationSession(
  config: pg.ClientConfig,
  start: PatientStart,
  work: (session: MigrationSession) => Promise<void>,
): Promise<void> {
  const queryMs = Math.max(migrationMs, start.options.startMs) + answerMs;
  await orStoreError(() =>
    withClient({ ...config, query_timeout: queryMs }, async (client) => {
      await assertUtf8(client, start);
      await work({
        transaction: (step) => inExclusiveTransaction(client, start, step),
        buildIndex: (index) => buildIndex(config, index),
      });
    }),
  );
}

/** Refuses other encodings, which lack characters, or read the bytes of one character as several. */
async function assertUtf8(client: pg.Client, { options }: PatientStart): Promise<void> {
  const { rows } = await client.query<{ readonly encoding: string }>(selectEncoding);
  const encoding = rows[0]?.encoding ?? '';
  if (encoding === 'UTF8') return;
  throw new ConfigurationError([
    `${options.option}: the encoding of the database is ${encoding}, and must be UTF8; one is created by ${createUtf8}.`,
  ]);
}

const selectEncoding = "SELECT current_setting('server_encoding') AS encoding";

const createUtf8 = "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0";

/** The SQLSTATE of a statement that waited for a lock for too long. */
const lockNotAvailable = '55P03';

/** How long a change of a table may wait for other transactions, since all later ones wait behind it. */
const tableLockMs = 500;

/**
 * Runs work while no other process migrates. If a statement of it would make other transactions wait, it is repeated
 * after a pause in which they can continue.
 */
async function inExclusiveTransaction<T>(
  client: pg.Client,
  start: PatientStart,
  work: (executor: MigrationExecutor) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + migrationMs;
  for (;;) {
    try {
      await client.query(begin);
      await client.query(detectDeath).catch(() => client.query('ROLLBACK TO started'));
      await acquireLock(client, start);
      const outcome = await work(toMigrationExecutor(client));
      await client.query('COMMIT');
      return outcome;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      if (!isLockTimeout(error) || performance.now() > deadline) throw error;
    }
    await sleep(tableLockMs);
  }
}

/** How long the start waits for the lock before it warns, in milliseconds. */
const warnAfterMs = 1000;

/** Waits for the lock of migrations. Limits of single statements hold from then on. */
async function acquireLock(client: pg.Client, start: PatientStart): Promise<void> {
  const timer = setTimeout(() => start.warnOfLock(), warnAfterMs).unref();
  try {
    await client.query(`SET LOCAL lock_timeout = ${start.options.startMs}; SELECT pg_advisory_xact_lock(${lockKey})`);
  } catch (error) {
    throw isLockTimeout(error) ? storeUnavailable(new Error('Other processes migrate it.', { cause: error })) : error;
  } finally {
    clearTimeout(timer);
  }
  await client.query(`SET LOCAL statement_timeout = ${migrationMs}; SET LOCAL lock_timeout = ${tableLockMs}`);
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === lockNotAvailable;
}

function toMigrationExecutor(client: pg.Client): MigrationExecutor {
  return {
    ...toReader(client),
    execute: async (text, values) => (await client.query(text, [...toValues(values)])).rowCount ?? 0,
    async runOfApp(text, values) {
      const statement: PgQuery = { text, values: [...toValues(values)], types: pg.types, queryMode: 'extended' };
      return (await client.query<SqlRow>(statement)).rows;
    },
    runScript: async (text) => void (await client.query(text)),
  };
}
