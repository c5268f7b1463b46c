import type { MfaRecord, PendingMfa } from '@x/store';
import { copyDate } from './copy-date.ts';
import { Table } from './table.ts';

/** A second factor, active or pending. */
type MfaRow = EnabledMfa | (PendingMfa & { readonly state: 'pending' });

/** An active second factor. */
export interface EnabledMfa extends Omit<MfaRecord, 'backupCodesRemaining'> {
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
export function toMfaRecord({ userId, secret, lastStep, backupCodeHashes, enabledAt }: EnabledMfa): MfaRecord {
  return {
    userId,
    secret,
    lastStep,
    backupCodesRemaining: backupCodeHashes.size,
    enabledAt: copyDate(enabledAt),
  };
}

/** Copies a pending second factor from or for a caller. */
export function copyPendingMfa({ userId, secret, expiresAt }: PendingMfa): PendingMfa {
  return { userId, secret, expiresAt: copyDate(expiresAt) };
}
