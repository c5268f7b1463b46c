import { randomInt } from 'node:crypto';
import type { SqlExecutor } from '@x/store-sql';
import type pg from 'pg';
import { withClient } from './client.ts';
import type { DatabaseHosts } from './hosts.ts';

type Database = Pick<SqlExecutor, 'transaction'>;

/**
 * Says whether a connection leads to the same database as transactions: it can't get a lock that a transaction holds.
 */
export function isSameDatabase(client: pg.ClientBase, database: Database): Promise<boolean> {
  const key = randomInt(2 ** 47);
  return database.transaction(async (executor) => {
    await executor.read('SELECT pg_advisory_xact_lock($1)', [key]);
    const { rows } = await client.query<{ readonly is_free: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS is_free',
      [key],
    );
    return rows[0]?.is_free === false;
  });
}

/** Says whether hosts lead to another database than transactions do; false if they can't be reached now. */
export async function leadElsewhere(hosts: DatabaseHosts, database: Database): Promise<boolean> {
  const areSame = async (): Promise<boolean> =>
    withClient(await hosts.locate(), (client) => isSameDatabase(client, database));
  return !(await areSame().catch(() => true));
}
