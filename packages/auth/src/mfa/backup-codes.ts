import { encodeBase32LowerCaseNoPadding } from '@oslojs/encoding';
import type { UserId } from '@x/store';
import { hash, randomBytes } from 'node:crypto';

/** Backup codes in the form that the user writes down, and in the form that is stored. */
export interface BackupCodes {
  readonly codes: readonly string[];
  readonly hashes: readonly string[];
}

const count = 10;

/** 80 bits, more than anybody can guess, so a plain hash is enough. */
const bytesPerCode = 10;

/** Creates ten codes such as `abcd-efgh-ijkl-mnop`. */
export function createBackupCodes(userId: UserId): BackupCodes {
  const spelled = Array.from({ length: count }, () => encodeBase32LowerCaseNoPadding(randomBytes(bytesPerCode)));
  return {
    codes: spelled.map((code) => code.replace(/(.{4})(?!$)/g, '$1-')),
    hashes: spelled.map((code) => hashBackupCode(userId, code)),
  };
}

/** Returns the stored form of a user's backup code (without hyphens): its SHA-256, base64url. */
export function hashBackupCode(userId: UserId, code: string): string {
  return hash('sha256', `${userId}.${code}`, 'base64url');
}
