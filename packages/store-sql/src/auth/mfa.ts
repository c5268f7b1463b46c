import type { MfaRecord, MfaStore, PendingMfa, StoredMfaSecret, UserId } from '@x/store';

import { defineColumns, integer, moment, text } from '../columns.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { toLockUser } from './users.ts';

/** The columns of a second factor that awaits its first code. */
const pendingColumns = defineColumns((row): PendingMfa => ({
  userId: text(row['user_id']),
  secret: text(row['secret']),
  expiresAt: moment(row['pending_until']),
}));

/** The columns of one that is active; its backup codes have a table of their own. */
const activeColumns = defineColumns((row): Omit<MfaRecord, 'backupCodesRemaining'> => ({
  userId: text(row['user_id']),
  secret: text(row['secret']),
  lastStep: integer(row['last_step']),
  wrongCodes: integer(row['wrong_codes']),
  enabledAt: moment(row['enabled_at']),
}));

/** The columns of the secret of either. */
const secretColumns = defineColumns((row): StoredMfaSecret => ({
  userId: text(row['user_id']),
  secret: text(row['secret']),
}));

const selectActive = `
  SELECT ${activeColumns.names},
    (SELECT COUNT(*) FROM auth_mfa_backup_codes c WHERE c.user_id = m.user_id) AS backup_codes
  FROM auth_mfa m WHERE user_id = $1 AND enabled_at IS NOT NULL`;

const selectPending = `
  SELECT ${pendingColumns.names} FROM auth_mfa
  WHERE user_id = $1 AND enabled_at IS NULL AND pending_until > $2`;

const toUpsertPending = ({ lockRow }: SqlDialect): string => `
  INSERT INTO auth_mfa (${pendingColumns.names})
  SELECT ${pendingColumns.placeholders} FROM auth_users WHERE id = ${pendingColumns.placeholderOf('userId')} ${lockRow}
  ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, pending_until = excluded.pending_until
  WHERE auth_mfa.enabled_at IS NULL`;

const enablePending = `
  UPDATE auth_mfa SET last_step = $3, enabled_at = $4
  WHERE user_id = $1 AND secret = $2 AND enabled_at IS NULL AND pending_until > $4`;

const updateStep = `
  UPDATE auth_mfa SET last_step = $3, wrong_codes = 0
  WHERE user_id = $1 AND secret = $2 AND enabled_at IS NOT NULL AND last_step < $3 AND wrong_codes < $4`;

const raiseWrongCodes = `
  UPDATE auth_mfa SET wrong_codes = wrong_codes + 1
  WHERE user_id = $1 AND enabled_at IS NOT NULL
  RETURNING wrong_codes`;

const resetWrongCodes = 'UPDATE auth_mfa SET wrong_codes = 0 WHERE user_id = $1';

const insertBackupCode = 'INSERT INTO auth_mfa_backup_codes (user_id, code_hash) VALUES ($1, $2)';

const deleteBackupCode = 'DELETE FROM auth_mfa_backup_codes WHERE user_id = $1 AND code_hash = $2';

const deleteBackupCodes = 'DELETE FROM auth_mfa_backup_codes WHERE user_id = $1';

const updateSecret = 'UPDATE auth_mfa SET secret = $3 WHERE user_id = $1 AND secret = $2';

// No user id is empty.
const selectSecrets = `
  SELECT ${secretColumns.names} FROM auth_mfa
  WHERE user_id > $1 AND (enabled_at IS NOT NULL OR pending_until > $2)
  ORDER BY user_id LIMIT $3`;

// The schema deletes its backup codes along with it.
const deleteFactor = 'DELETE FROM auth_mfa WHERE user_id = $1 RETURNING enabled_at';

/** Builds the store of second factors; its writing steps lock the user's row first. */
export function createSqlMfa({ dialect, clock }: SqlStoreDependencies): OnExecutor<MfaStore> {
  const milliseconds = (): number => clock.now().getTime();
  const lockUser = toLockUser(dialect);
  const upsertPending = toUpsertPending(dialect);
  const locked = <T>(sql: SqlExecutor, userId: UserId, work: (step: SqlExecutor) => Promise<T>): Promise<T> =>
    sql.step(async (step) => {
      await step.read(lockUser, [userId]);
      return work(step);
    });
  return (sql) => ({
    async find(userId) {
      const [row] = await sql.read(selectActive, [userId]);
      return row ? { ...activeColumns.decode(row), backupCodesRemaining: integer(row['backup_codes']) } : null;
    },

    findPending: async (userId) =>
      pendingColumns.decodeFirst(await sql.read(selectPending, () => [userId, milliseconds()])),

    startSetup: async (setup) => (await sql.execute(upsertPending, pendingColumns.encode(setup))) === 1,

    enable: (userId, { secret, step: timeStep, backupCodeHashes }) =>
      locked(sql, userId, async (step) => {
        const enabled = await step.execute(enablePending, () => [userId, secret, timeStep, milliseconds()]);
        if (enabled === 1) await insertBackupCodes(step, userId, backupCodeHashes);
        return enabled === 1;
      }),

    acceptStep: (userId, { secret, step: timeStep, lockedAt }) =>
      locked(sql, userId, async (step) => (await step.execute(updateStep, [userId, secret, timeStep, lockedAt])) === 1),

    countWrongCode: (userId) =>
      locked(sql, userId, async (step) => {
        const [raised] = await step.write(raiseWrongCodes, [userId]);
        return integer(raised?.['wrong_codes'] ?? 0);
      }),

    consumeBackupCode: (userId, codeHash) =>
      locked(sql, userId, async (step) => {
        const isConsumed = (await step.execute(deleteBackupCode, [userId, codeHash])) === 1;
        if (isConsumed) await step.execute(resetWrongCodes, [userId]);
        return isConsumed;
      }),

    replaceBackupCodes: (userId, codeHashes) =>
      locked(sql, userId, async (step) => {
        if ((await step.read(selectActive, [userId])).length === 0) return false;
        await step.execute(deleteBackupCodes, [userId]);
        await insertBackupCodes(step, userId, codeHashes);
        return true;
      }),

    replaceSecret: (userId, { expected, next }) =>
      locked(sql, userId, async (step) => (await step.execute(updateSecret, [userId, expected, next])) === 1),

    async listSecrets({ after, limit }) {
      const rows = await sql.read(selectSecrets, () => [after ?? '', milliseconds(), limit]);
      return rows.map(secretColumns.decode);
    },

    remove: (userId) =>
      locked(sql, userId, async (step) => {
        const [removed] = await step.write(deleteFactor, [userId]);
        return (removed?.['enabled_at'] ?? null) !== null;
      }),
  });
}

async function insertBackupCodes(step: SqlExecutor, userId: UserId, codeHashes: readonly string[]): Promise<void> {
  for (const codeHash of codeHashes) await step.execute(insertBackupCode, [userId, codeHash]);
}
