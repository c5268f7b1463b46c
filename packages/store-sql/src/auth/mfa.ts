import type { MfaRecord, MfaStore, PendingMfa, UserId } from '@x/store';

import { defineColumns, integer, moment, text } from '../columns.ts';
import type { OnScope, SqlDialect, SqlScope, SqlStoreDependencies } from '../sql-driver.ts';
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
  enabledAt: moment(row['enabled_at']),
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
  UPDATE auth_mfa SET last_step = $3
  WHERE user_id = $1 AND secret = $2 AND enabled_at IS NOT NULL AND last_step < $3`;

const insertBackupCode = 'INSERT INTO auth_mfa_backup_codes (user_id, code_hash) VALUES ($1, $2)';

const deleteBackupCode = 'DELETE FROM auth_mfa_backup_codes WHERE user_id = $1 AND code_hash = $2';

const deleteBackupCodes = 'DELETE FROM auth_mfa_backup_codes WHERE user_id = $1';

// The schema deletes its backup codes along with it.
const deleteFactor = 'DELETE FROM auth_mfa WHERE user_id = $1 RETURNING enabled_at';

/** Builds the store of second factors of every scope; its writing steps lock the user's row first. */
export function createSqlMfa({ dialect, clock }: SqlStoreDependencies): OnScope<MfaStore> {
  const milliseconds = (): number => clock.now().getTime();
  const lockUser = toLockUser(dialect);
  const upsertPending = toUpsertPending(dialect);
  const locked = <T>(sql: SqlScope, userId: UserId, work: (step: SqlScope) => Promise<T>): Promise<T> =>
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

    acceptStep: (userId, { secret, step: timeStep }) =>
      locked(sql, userId, async (step) => (await step.execute(updateStep, [userId, secret, timeStep])) === 1),

    consumeBackupCode: (userId, codeHash) =>
      locked(sql, userId, async (step) => (await step.execute(deleteBackupCode, [userId, codeHash])) === 1),

    replaceBackupCodes: (userId, codeHashes) =>
      locked(sql, userId, async (step) => {
        if ((await step.read(selectActive, [userId])).length === 0) return false;
        await step.execute(deleteBackupCodes, [userId]);
        await insertBackupCodes(step, userId, codeHashes);
        return true;
      }),

    remove: (userId) =>
      locked(sql, userId, async (step) => {
        const [removed] = await step.write(deleteFactor, [userId]);
        return (removed?.['enabled_at'] ?? null) !== null;
      }),
  });
}

async function insertBackupCodes(step: SqlScope, userId: UserId, codeHashes: readonly string[]): Promise<void> {
  for (const codeHash of codeHashes) await step.execute(insertBackupCode, [userId, codeHash]);
}
