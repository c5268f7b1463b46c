import { queryTooExpensive, storeUnavailable } from '@x/store';
import { tableMissing } from '@x/store/engine';
import { DuplicateKeyError, ForeignKeyError } from '@x/store-sql';
import Database from 'better-sqlite3';
import { StatementTimeout } from './row-guard.ts';

/**
 * The first two words of the result codes caused by the statement or its values; all others are caused by the database.
 */
const ownFault = /^SQLITE_(CONSTRAINT|ERROR|MISUSE|RANGE|MISMATCH|TOOBIG)(_|$)/;

/** Converts an error of better-sqlite3 to one of the store contracts; any other is returned unchanged. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StatementTimeout) return queryTooExpensive(error);
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new DuplicateKeyError(error.message.replace(/^.*?: /, ''), error);
  }
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new ForeignKeyError(error);
  // It has no code of its own.
  if (error.message.startsWith('no such table:')) return tableMissing(error);
  return ownFault.test(error.code) ? error : storeUnavailable(error);
}

/** Says whether another connection holds the requested lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_BUSY(_|$)/.test(error.code);
}

/** For where a missing table, file or folder is the answer, and not a mistake in the configuration. */
export function orUnavailable<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw storeUnavailable(error);
  }
}
