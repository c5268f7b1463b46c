import type { OneTimeIdStore } from '@x/store';

import type { SqlDialect } from '../sql-dialect.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';

const insertId = 'INSERT INTO auth_one_time_ids (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING';

// A separate `WITH`, because inside `IN`, Postgres may run a locking `LIMIT` more than once.
const toDeleteExpired = ({ lockFreeRows }: SqlDialect): string => `
  WITH expired AS (
    SELECT hash FROM auth_one_time_ids WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 ${lockFreeRows}
  )
  DELETE FROM auth_one_time_ids WHERE hash IN (SELECT hash FROM expired)`;

/** Builds the store of one-time ids. */
export function createSqlOneTimeIds({ dialect, clock }: SqlStoreDependencies): OnExecutor<OneTimeIdStore> {
  const deleteExpired = toDeleteExpired(dialect);
  return (sql) => ({
    async claim(hash, expiresAt) {
      return (await sql.execute(insertId, [hash, expiresAt.getTime()])) === 1;
    },

    prune: ({ limit }) => sql.execute(deleteExpired, () => [clock.now().getTime(), limit]),
  });
}
