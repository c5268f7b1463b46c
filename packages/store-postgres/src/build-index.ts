import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexBuild } from '@x/store-sql';
import pg from 'pg';
import { closeClient } from './connection.ts';
import { toStoreError } from './errors.ts';
import { ownTypes } from './types.ts';

/** How long to wait before asking again whether another process has built its index. */
const pauseMs = 100;

/** The advisory lock of whoever builds indexes; an arbitrary number. It is not that of migrations, which never wait for it. */
const buildKey = 7_281_643_906;

/** Without a parameter: the portal of a statement with one would keep its snapshot until the next. */
const tryLock = `pg_try_advisory_xact_lock(${buildKey})`;

/**
 * Builds an index while others write, which can't be done in a transaction. So a second connection holds a transaction
 * open that has the lock; it has no snapshot, for whose end the build would wait, and neither do those that ask for the
 * lock now and then. An index whose build was killed is invalid: it is dropped and built again.
 *
 * @throws DuplicateKeyError if it is unique, and rows are not
 */
export async function buildIndex(config: pg.ClientConfig, index: IndexBuild): Promise<void> {
  const [guard, builder] = [openClient(config), openClient(config)];
  try {
    await Promise.all([guard.connect(), builder.connect()]);
    await guard.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await guard.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    while (!(await isTrue(guard, tryLock))) await sleep(pauseMs);
    await buildAlone(builder, index);
    await guard.query('COMMIT');
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await Promise.all([closeClient(guard), closeClient(builder)]);
  }
}

const isBuilt = 'EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid)';

/** That a killed process had asked for. */
const isBeingBuilt = 'EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = to_regclass($1))';

async function buildAlone(builder: pg.Client, { name, isUnique, on }: IndexBuild): Promise<void> {
  while (await isTrue(builder, isBeingBuilt, name)) await sleep(pauseMs);
  if (await isTrue(builder, isBuilt, name)) return;
  const drop = `DROP INDEX CONCURRENTLY IF EXISTS ${name}`;
  await builder.query(drop);
  try {
    await builder.query(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${on}`);
  } catch (error) {
    await builder.query(drop);
    throw error;
  }
}

/** A build may take any time, so nothing but the connection has a limit. */
function openClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client({ ...config, types: ownTypes, keepAlive: true });
  // A lost connection is reported by the statement during which it was lost.
  client.on('error', () => undefined);
  return client;
}

async function isTrue(client: pg.Client, condition: string, ...values: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ is_true: boolean }>(`SELECT ${condition} AS is_true`, [...values]);
  return rows[0]?.is_true === true;
}
