import type { Clock, MfaRecord, MfaStore, PendingMfa, UserId } from '@x/store';

import { type IntegerColumn, toDate } from './column.ts';
import { toLockUser } from './lock-user.ts';
import type { OnScope, SqlDialect, SqlRow, SqlScope } from './sql-driver.ts';

/** The options of the store of second factors. */
export interface SqlMfaOptions {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
}

const selectEnabled = `
  SELECT user_id, secret, last_step, enabled_at,
    (SELECT COUNT(*) FROM auth_mfa_backup_codes c WHERE c.user_id = m.user_id) AS backup_codes
  FROM auth_mfa m WHERE user_id = $1 AND enabled_at IS NOT NULL`;

const selectPending = `
  SELECT user_id, secret, pending_until FROM auth_mfa
  WHERE user_id = $1 AND enabled_at IS NULL AND pending_until > $2`;

const toUpsertPending = ({ lockRow }: SqlDialect): string => `
  INSERT INTO auth_mfa (user_id, secret, pending_until) SELECT $1, $2, $3 FROM auth_users WHERE id = $1 ${lockRow}
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
export function createSqlMfa({ dialect, clock }: SqlMfaOptions): OnScope<MfaStore> {
  const milliseconds = (): number => clock.now().getTime();
  const lockUser = toLockUser(dialect);
  const upsertPending = toUpsertPending(dialect);
  const locked = <T>(sql: SqlScope, userId: UserId, work: (step: SqlScope) => Promise<T>): Promise<T> =>
    sql.step(async (step) => {
      await step.read(lockUser, [userId]);
      return work(step);
    });
  return (sql) => ({
    find: async (userId) => toMfaRecord(await sql.read(selectEnabled, [userId])),

    findPending: async (userId) => toPendingMfa(await sql.read(selectPending, () => [userId, milliseconds()])),

    async startSetup({ userId, secret, expiresAt }) {
      return (await sql.execute(upsertPending, [userId, secret, expiresAt.getTime()])) === 1;
    },

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
        if ((await step.read(selectEnabled, [userId])).length === 0) return false;
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

function toMfaRecord([columns]: readonly SqlRow[]): MfaRecord | null {
  if (!columns) return null;
  const row = columns as unknown as EnabledRow;
  return {
    userId: row.user_id,
    secret: row.secret,
    lastStep: Number(row.last_step),
    backupCodesRemaining: Number(row.backup_codes),
    enabledAt: toDate(row.enabled_at),
  };
}

function toPendingMfa([columns]: readonly SqlRow[]): PendingMfa | null {
  if (!columns) return null;
  const row = columns as unknown as PendingRow;
  return { userId: row.user_id, secret: row.secret, expiresAt: toDate(row.pending_until) };
}

interface EnabledRow {
  readonly user_id: UserId;
  readonly secret: string;
  readonly last_step: IntegerColumn;
  readonly enabled_at: IntegerColumn;
  readonly backup_codes: IntegerColumn;
}

interface PendingRow {
  readonly user_id: UserId;
  readonly secret: string;
  readonly pending_until: IntegerColumn;
}
