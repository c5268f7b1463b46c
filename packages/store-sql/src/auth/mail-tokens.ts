import type { MailTokenRecord, MailTokenStore } from '@x/store';

import { defineColumns, moment, text, textOrNull } from '../columns.ts';
import { deleteFirst } from '../delete-first.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { toLockUser } from './users.ts';

/** The columns of both tables of tokens. */
const tokenColumns = defineColumns((row): MailTokenRecord => ({
  userId: text(row['user_id']),
  tokenHash: text(row['token_hash']),
  email: text(row['email']),
  newEmail: textOrNull(row['new_email']),
  expiresAt: moment(row['expires_at']),
}));

/** The options of a store of mailed tokens. */
export interface SqlMailTokensOptions extends SqlStoreDependencies {
  /** The table with the tokens of this kind. */
  readonly table: 'auth_email_verifications' | 'auth_password_resets';
}

/** Builds the store for one kind of mailed tokens. */
export function createSqlMailTokens({ dialect, clock, table }: SqlMailTokensOptions): OnExecutor<MailTokenStore> {
  const milliseconds = (): number => clock.now().getTime();
  const lockUser = toLockUser(dialect);
  const { upsertToken, selectByHash, lockOwner, deleteValid, deleteByUser, deleteExpired } = toStatements(
    table,
    dialect,
  );
  return (sql) => ({
    async replace(token) {
      return (await sql.execute(upsertToken, tokenColumns.encode(token))) === 1;
    },

    find: async (tokenHash) => tokenColumns.decodeFirst(await sql.read(selectByHash, [tokenHash])),

    consume: (tokenHash) =>
      sql.step(async (step) => {
        const [owner] = await step.read(lockOwner, [tokenHash]);
        if (!owner) return null;
        return tokenColumns.decodeFirst(await step.write(deleteValid, () => [tokenHash, milliseconds()]));
      }),

    remove: (userId) =>
      sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        await step.execute(deleteByUser, [userId]);
      }),

    prune({ before, limit }) {
      const moment = before.getTime();
      // A valid token is kept at any `before`; a token is expired at its very last moment.
      return sql.execute(deleteExpired, () => [Math.min(moment, milliseconds() + 1), limit]);
    },
  });
}

/** The statements on the tokens of one table; all but the last lock the user's row first, see `toLockUser`. */
const toStatements = (table: SqlMailTokensOptions['table'], dialect: SqlDialect) => ({
  upsertToken: `
  INSERT INTO ${table} (${tokenColumns.names})
  SELECT ${tokenColumns.placeholders} FROM auth_users WHERE id = ${tokenColumns.placeholderOf('userId')} ${dialect.lockRow}
  ON CONFLICT (user_id) DO UPDATE SET
    token_hash = excluded.token_hash, email = excluded.email, new_email = excluded.new_email,
    expires_at = excluded.expires_at`,

  selectByHash: `SELECT ${tokenColumns.names} FROM ${table} WHERE token_hash = $1`,

  lockOwner: `
  SELECT id FROM auth_users WHERE id = (SELECT user_id FROM ${table} WHERE token_hash = $1) ${dialect.lockRow}`,

  deleteValid: `DELETE FROM ${table} WHERE token_hash = $1 AND expires_at > $2 RETURNING ${tokenColumns.names}`,

  deleteByUser: `DELETE FROM ${table} WHERE user_id = $1`,

  deleteExpired: deleteFirst(dialect, {
    table,
    key: 'user_id',
    where: 'expires_at < $1',
    order: 'expires_at, user_id',
  }),
});
