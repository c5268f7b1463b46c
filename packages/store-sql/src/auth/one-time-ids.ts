import type { OneTimeIdStore } from '@x/store';

import { deleteFirst } from '../delete-first.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';

const insertId = 'INSERT INTO auth_one_time_ids (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING';

const expired = { table: 'auth_one_time_ids', key: 'hash', where: 'expires_at <= $1', order: 'expires_at' };

/** Builds the store of one-time ids. */
export function createSqlOneTimeIds({ dialect, clock }: SqlStoreDependencies): OnExecutor<OneTimeIdStore> {
  const deleteExpired = deleteFirst(dialect, expired);
  return (sql) => ({
    async claim(hash, expiresAt) {
      return (await sql.execute(insertId, [hash, expiresAt.getTime()])) === 1;
    },

    prune: ({ limit }) => sql.execute(deleteExpired, () => [clock.now().getTime(), limit]),
  });
}
