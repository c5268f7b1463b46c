import type { MfaRecord, MfaStore, PendingMfa, UserId, UserRecord } from '@x/store';
import type { Scope } from '../database/scope.ts';
import { type Lookup, Table } from '../database/table.ts';
import { copyDate } from '../database/values.ts';

/** Creates the store of second factors of a scope. */
export function createMfaStore(scope: Scope<MfaTables>): MfaStore {
  return {
    find: async (userId) => scope.read(({ mfa }) => toFound(findEnabled(mfa, userId))),
    findPending: async (userId) =>
      scope.read(({ mfa }, now) => {
        const row = mfa.get(userId);
        return row?.state === 'pending' && now < row.expiresAt ? copyPendingMfa(row) : null;
      }),
    startSetup: async (setup) => {
      // Copied first: the caller may change it while the step waits.
      const pending = { ...copyPendingMfa(setup), state: 'pending' } as const;
      return scope.write(({ users, mfa }) => {
        if (!users.get(pending.userId) || findEnabled(mfa, pending.userId)) return false;
        mfa.put(pending);
        return true;
      });
    },
    enable: async (userId, { secret, step, backupCodeHashes }) => {
      const factor = { userId, secret, lastStep: step, backupCodeHashes: new Set(backupCodeHashes) };
      return scope.write((tables, now) => enable(tables, factor, now));
    },
    acceptStep: async (userId, { secret, step }) =>
      scope.write(({ mfa }) => {
        const row = findEnabled(mfa, userId);
        if (row?.secret !== secret || step <= row.lastStep) return false;
        mfa.put({ ...row, lastStep: step });
        return true;
      }),
    consumeBackupCode: async (userId, codeHash) =>
      scope.write(({ mfa }) => {
        const row = findEnabled(mfa, userId);
        if (!row?.backupCodeHashes.has(codeHash)) return false;
        const left = [...row.backupCodeHashes].filter((hash) => hash !== codeHash);
        mfa.put({ ...row, backupCodeHashes: new Set(left) });
        return true;
      }),
    replaceBackupCodes: async (userId, codeHashes) => {
      const backupCodeHashes = new Set(codeHashes);
      return scope.write(({ mfa }) => {
        const row = findEnabled(mfa, userId);
        if (row) mfa.put({ ...row, backupCodeHashes });
        return row !== null;
      });
    },
    remove: async (userId) =>
      scope.write(({ mfa }) => {
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
  if (row?.state !== 'pending' || row.secret !== factor.secret || now >= row.expiresAt) return false;
  mfa.put({ ...factor, state: 'enabled', enabledAt: now });
  return true;
}

/** A second factor, active or pending. */
type MfaRow = EnabledMfa | (PendingMfa & { readonly state: 'pending' });

/** An active second factor. */
interface EnabledMfa extends Omit<MfaRecord, 'backupCodesRemaining'> {
  readonly state: 'enabled';
  readonly backupCodeHashes: ReadonlySet<string>;
}

/** Second factors, by user. */
export type MfaTable = Table<MfaRow, never, never>;

/** Creates an empty table of second factors. */
export function createMfaTable(): MfaTable {
  return new Table({ keyOf: (row) => row.userId, unique: {}, ordered: {} });
}

/** Converts an active second factor for a caller. */
function toMfaRecord({ userId, secret, lastStep, backupCodeHashes, enabledAt }: EnabledMfa): MfaRecord {
  return {
    userId,
    secret,
    lastStep,
    backupCodesRemaining: backupCodeHashes.size,
    enabledAt: copyDate(enabledAt),
  };
}

/** Copies a pending second factor from or for a caller. */
function copyPendingMfa({ userId, secret, expiresAt }: PendingMfa): PendingMfa {
  return { userId, secret, expiresAt: copyDate(expiresAt) };
}
