import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexBuild } from '@x/store-sql';
import type pg from 'pg';
import { withClient } from './client.ts';
import { orStoreError } from './errors.ts';

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
  await orStoreError(() =>
    withClient(config, async (guard) => {
      await guard.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      await guard.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      while (!(await isTrue(guard, tryLock))) await sleep(pauseMs);
      // A build may take any time, so nothing but the connection has a limit.
      await withClient(config, (builder) => buildAlone(builder, index));
      await guard.query('COMMIT');
    }),
  );
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

async function isTrue(client: pg.Client, condition: string, ...values: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ is_true: boolean }>(`SELECT ${condition} AS is_true`, [...values]);
  return rows[0]?.is_true === true;
}
