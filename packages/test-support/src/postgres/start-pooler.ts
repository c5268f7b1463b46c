import { findPgBouncers, startPgBouncer } from './pgbouncer.ts';
import type { Pooler, PoolerOptions } from './pooler.ts';
import { startTransactionPooler } from './transaction-pooler.ts';

/**
 * Starts a pooler in transaction mode: PgBouncer, or, on a machine that has none, a small one of our own.
 *
 * @throws Error if `REQUIRE_PGBOUNCER` is set on a machine without it
 */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const [pooler] = await findPgBouncers();
  if (pooler) return startPgBouncer(options, pooler);
  if (process.env['REQUIRE_PGBOUNCER']) throw new Error('PgBouncer is not installed: apt-get install pgbouncer.');
  process.stderr.write('There is no PgBouncer here, so a small pooler of the tests stands in for it.\n');
  return startTransactionPooler(options);
}
