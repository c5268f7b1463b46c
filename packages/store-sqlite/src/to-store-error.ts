import { storeUnavailable, tableMissing } from '@x/store';
import { DuplicateKeyError, ForeignKeyError } from '@x/store-sql';
import Database from 'better-sqlite3';

/** The first two words of the result codes that blame the statement or its values; all others blame the database. */
const ownFault = /^SQLITE_(CONSTRAINT|ERROR|MISUSE|RANGE|MISMATCH|TOOBIG)(_|$)/;

/** Converts an error of better-sqlite3 to the one that the store contracts name; any other is returned as it is. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new DuplicateKeyError(error);
  }
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new ForeignKeyError(error);
  // It has no code of its own.
  if (error.message.startsWith('no such table:')) return tableMissing(error);
  return ownFault.test(error.code) ? error : storeUnavailable(error);
}

/** Says whether another connection holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_BUSY(_|$)/.test(error.code);
}
