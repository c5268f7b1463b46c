import type { OAuthAccountRecord, OAuthAccountStore } from '@x/store';

import { defineColumns, text, textOrNull } from '../columns.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { toLockUser } from './users.ts';

const accountColumns = defineColumns((row): OAuthAccountRecord => ({
  userId: text(row['user_id']),
  provider: text(row['provider']),
  providerId: text(row['provider_id']),
  email: textOrNull(row['email']),
}));

// All writing statements lock the user's row first, see `toLockUser`.

const insertAccount = `
  INSERT INTO auth_oauth_accounts (${accountColumns.names}) VALUES (${accountColumns.placeholders})
  ON CONFLICT (provider, provider_id) DO NOTHING`;

const selectUserId = 'SELECT user_id FROM auth_oauth_accounts WHERE provider = $1 AND provider_id = $2';

const selectByUser = `
  SELECT ${accountColumns.names} FROM auth_oauth_accounts WHERE user_id = $1
  ORDER BY provider, provider_id`;

const toLockPassword = ({ lockRow }: SqlDialect): string => `
  SELECT password_hash IS NOT NULL AND login_email IS NOT NULL AS has_password
  FROM auth_users WHERE id = $1 ${lockRow}`;

const deleteByProvider = 'DELETE FROM auth_oauth_accounts WHERE user_id = $1 AND provider = $2';

const deleteByUser = 'DELETE FROM auth_oauth_accounts WHERE user_id = $1';

/** Builds the store of linked identities. */
export function createSqlOAuthAccounts({ dialect }: SqlStoreDependencies): OnExecutor<OAuthAccountStore> {
  const lockUser = toLockUser(dialect);
  const lockPassword = toLockPassword(dialect);
  return (sql) => ({
    link: (account) =>
      sql.step(async (step) => {
        const [user] = await step.read(lockUser, [account.userId]);
        if (!user) return 'missing';
        return (await step.execute(insertAccount, accountColumns.encode(account))) === 1 ? 'linked' : 'taken';
      }),

    async findUserId(provider, providerId) {
      const [row] = await sql.read(selectUserId, [provider, providerId]);
      return row ? text(row['user_id']) : null;
    },

    list: async (userId) => (await sql.read(selectByUser, [userId])).map(accountColumns.decode),

    unlink: (userId, provider) =>
      sql.step(async (step) => {
        const [user] = await step.read(lockPassword, [userId]);
        const accounts = (await step.read(selectByUser, [userId])).map(accountColumns.decode);
        if (!accounts.some((account) => account.provider === provider)) return 'not_linked';
        const isLast = !user?.['has_password'] && accounts.every((account) => account.provider === provider);
        if (isLast) return 'last_method';
        await step.execute(deleteByProvider, [userId, provider]);
        return 'unlinked';
      }),

    removeAll: (userId) =>
      sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        const accounts = (await step.read(selectByUser, [userId])).map(accountColumns.decode);
        await step.execute(deleteByUser, [userId]);
        return accounts;
      }),
  });
}
