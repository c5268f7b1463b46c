import { storeUnavailable } from '@x/store';
import { DuplicateKeyError } from '@x/store-sql';
import Database from 'better-sqlite3';

/** The first two words of the result codes that say that the database can't serve now. */
const unavailable = /^SQLITE_(BUSY|LOCKED|PROTOCOL|IOERR|FULL|CANTOPEN)(_|$)/;

/** Converts an error of better-sqlite3 to the one that the store contracts name; any other is returned as it is. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new DuplicateKeyError(error);
  }
  return unavailable.test(error.code) ? storeUnavailable(error) : error;
}

/** Says whether another connection holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_BUSY(_|$)/.test(error.code);
}
