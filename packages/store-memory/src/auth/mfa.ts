import type { MfaRecord, MfaStore, PendingMfa, StoredMfaSecret, UserId, UserRecord } from '@x/store';
import { everyRow } from '../database/indexes.ts';
import type { StepExecutor } from '../database/executor.ts';
import { type Lookup, Table } from '../database/table.ts';
import { compareText, copyDate } from '../database/values.ts';

/** Creates the store of second factors. */
export function createMfaStore(executor: StepExecutor<MfaTables>): MfaStore {
  return {
    find: async (userId) => executor.read(({ mfa }) => toFound(findEnabled(mfa, userId))),
    findPending: async (userId) =>
      executor.read(({ mfa }, now) => {
        const row = mfa.get(userId);
        return row?.state === 'pending' && isUsable(row, now) ? copyPendingMfa(row) : null;
      }),
    startSetup: async (setup) => {
      // Copied first: the caller may change it while the step waits.
      const pending = { ...copyPendingMfa(setup), state: 'pending' } as const;
      return executor.write(({ users, mfa }) => {
        if (!users.get(pending.userId) || findEnabled(mfa, pending.userId)) return false;
        mfa.put(pending);
        return true;
      });
    },
    enable: async (userId, { secret, step, backupCodeHashes }) => {
      const factor = { userId, secret, lastStep: step, wrongCodes: 0, backupCodeHashes: new Set(backupCodeHashes) };
      return executor.write((tables, now) => enable(tables, factor, now));
    },
    acceptStep: async (userId, { secret, step, lockedAt }) =>
      executor.write(({ mfa }) => {
        const row = findEnabled(mfa, userId);
        if (row?.secret !== secret || step <= row.lastStep || row.wrongCodes >= lockedAt) return false;
        mfa.put({ ...row, lastStep: step, wrongCodes: 0 });
        return true;
      }),
    countWrongCode: async (userId) =>
      executor.write(({ mfa }) => {
        const row = findEnabled(mfa, userId);
        if (row === null) return 0;
        const wrongCodes = row.wrongCodes + 1;
        mfa.put({ ...row, wrongCodes });
        return wrongCodes;
      }),
    consumeBackupCode: async (userId, codeHash) =>
      executor.write(({ mfa }) => {
        const row = findEnabled(mfa, userId);
        if (!row?.backupCodeHashes.has(codeHash)) return false;
        const left = [...row.backupCodeHashes].filter((hash) => hash !== codeHash);
        mfa.put({ ...row, backupCodeHashes: new Set(left), wrongCodes: 0 });
        return true;
      }),
    replaceBackupCodes: async (userId, codeHashes) => {
      const backupCodeHashes = new Set(codeHashes);
      return executor.write(({ mfa }) => {
        const row = findEnabled(mfa, userId);
        if (row) mfa.put({ ...row, backupCodeHashes });
        return row !== null;
      });
    },
    replaceSecret: async (userId, { expected, next }) =>
      executor.write(({ mfa }) => {
        const row = mfa.get(userId);
        if (row?.secret !== expected) return false;
        mfa.put({ ...row, secret: next });
        return true;
      }),
    listSecrets: async ({ after, limit }) => executor.read(({ mfa }, now) => listSecrets(mfa, { after, limit, now })),
    remove: async (userId) =>
      executor.write(({ mfa }) => {
        const wasOn = findEnabled(mfa, userId) !== null;
        mfa.delete(userId);
        return wasOn;
      }),
  };
}

interface MfaTables {
  readonly mfa: MfaTable;
  readonly users: Lookup<UserRecord>;
}

function toFound(row: EnabledMfa | null): ReturnType<typeof toMfaRecord> | null {
  return row && toMfaRecord(row);
}

function findEnabled(mfa: MfaTable, userId: UserId): EnabledMfa | null {
  const row = mfa.get(userId);
  return row?.state === 'enabled' ? row : null;
}

function enable({ mfa }: MfaTables, factor: Omit<EnabledMfa, 'state' | 'enabledAt'>, now: Date): boolean {
  const row = mfa.get(factor.userId);
  if (row?.state !== 'pending' || row.secret !== factor.secret || !isUsable(row, now)) return false;
  mfa.put({ ...factor, state: 'enabled', enabledAt: now });
  return true;
}

/** Says whether a second factor is active, or can still be activated. */
function isUsable(row: MfaRow, now: Date): boolean {
  return row.state === 'enabled' || now < row.expiresAt;
}

function listSecrets(
  mfa: MfaTable,
  { after, limit, now }: { readonly after: UserId | null; readonly limit: number; readonly now: Date },
): readonly StoredMfaSecret[] {
  const secrets: StoredMfaSecret[] = [];
  for (const row of mfa.select('byUser', everyRow, ({ userId }) => after !== null && compareText(userId, after) <= 0)) {
    if (secrets.length === limit) break;
    if (isUsable(row, now)) secrets.push({ userId: row.userId, secret: row.secret });
  }
  return secrets;
}

/** A second factor, active or pending. */
type MfaRow = EnabledMfa | (PendingMfa & { readonly state: 'pending' });

/** An active second factor. */
interface EnabledMfa extends Omit<MfaRecord, 'backupCodesRemaining'> {
  readonly state: 'enabled';
  readonly backupCodeHashes: ReadonlySet<string>;
}

/** Second factors, by user. */
export type MfaTable = Table<MfaRow, never, 'byUser'>;

/** Creates an empty table of second factors. */
export function createMfaTable(): MfaTable {
  return new Table({
    keyOf: ({ userId }) => userId,
    owner: 'key',
    unique: {},
    ordered: { byUser: { compare: (a, b) => compareText(a.userId, b.userId) } },
  });
}

/** Converts an active second factor for a caller. */
function toMfaRecord({ userId, secret, lastStep, wrongCodes, backupCodeHashes, enabledAt }: EnabledMfa): MfaRecord {
  return {
    userId,
    secret,
    lastStep,
    wrongCodes,
    backupCodesRemaining: backupCodeHashes.size,
    enabledAt: copyDate(enabledAt),
  };
}

/** Copies a pending second factor from or for a caller. */
function copyPendingMfa({ userId, secret, expiresAt }: PendingMfa): PendingMfa {
  return { userId, secret, expiresAt: copyDate(expiresAt) };
}
