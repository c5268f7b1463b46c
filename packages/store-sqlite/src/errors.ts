import { storeUnavailable } from '@x/store';
import { tableMissing } from '@x/store/engine';
import { DuplicateKeyError, ForeignKeyError } from '@x/store-sql';
import Database from 'better-sqlite3';

/**
 * The first two words of the result codes that a statement or its values cause. The database causes all other codes.
 */
const ownFault = /^SQLITE_(CONSTRAINT|ERROR|MISUSE|RANGE|MISMATCH|TOOBIG)(_|$)/;

/** Null, a value of another type, a check that fails, or an exception that a trigger raises. */
const refusedRow = /^SQLITE_(CONSTRAINT_(CHECK|NOTNULL|TRIGGER|DATATYPE)|MISMATCH)$/;

/** Converts an error of better-sqlite3 to an error of the store contracts. Other errors are returned unchanged. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new DuplicateKeyError(error.message.replace(/^.*?: /, ''), error);
  }
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new ForeignKeyError(error);
  // A missing table has no code of its own.
  if (error.message.startsWith('no such table:')) return tableMissing(error);
  return ownFault.test(error.code) ? error : storeUnavailable(error);
}

/** Says whether the database refuses a row for its values: by a constraint or a trigger. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Database.SqliteError && refusedRow.test(error.code);
}

/** Says whether another connection holds the requested lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_BUSY(_|$)/.test(error.code);
}

/** Runs work for which a missing table, file or folder means that the database is unavailable, not misconfigured. */
export function orUnavailable<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw storeUnavailable(error);
  }
}
