import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexBuild } from '@x/store-sql';
import type pg from 'pg';
import { withClient } from './client.ts';
import { orStoreError } from './errors.ts';

/** How long to wait before checking again whether another process has built its index. */
const pauseMs = 100;

/**
 * The advisory lock of processes that build indexes; an arbitrary number. Migrations have another, and never wait for
 * this.
 */
const buildKey = 7_281_643_906;

/** It has no parameter, because the portal of a statement with one would keep its snapshot until the next statement. */
const tryLock = `pg_try_advisory_xact_lock(${buildKey})`;

/**
 * Builds an index while other transactions write, which can't be done in a transaction. So a second connection holds
 * the lock in an open transaction. That transaction has no snapshot, for whose end the build would wait, and neither do
 * processes that poll for the lock. An index whose build was killed is invalid: it is dropped and built again.
 *
 * @throws DuplicateKeyError if the index is unique, and the rows are not
 */
export async function buildIndex(config: pg.ClientConfig, index: IndexBuild): Promise<void> {
  await orStoreError(() =>
    withClient(config, async (guard) => {
      await guard.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      await guard.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      while (!(await isTrue(guard, tryLock))) await sleep(pauseMs);
      // A build may take any time, so only the connection has a limit.
      await withClient(config, (builder) => buildAlone(builder, index));
      await guard.query('COMMIT');
    }),
  );
}

const isBuilt = 'EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid)';

const isBeingBuilt = 'EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = to_regclass($1))';

/** Drops an index whose build a killed process has left unfinished. */
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

async function isTrue(client: pg.Client, condition: string, ...values: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ is_true: boolean }>(`SELECT ${condition} AS is_true`, [...values]);
  return rows[0]?.is_true === true;
}
