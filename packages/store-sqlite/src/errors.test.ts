import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import { toStoreError } from './errors.ts';

const unavailable = [
  ...['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED', 'SQLITE_LOCKED_SHAREDCACHE', 'SQLITE_PROTOCOL'],
  ...['SQLITE_IOERR', 'SQLITE_IOERR_READ', 'SQLITE_FULL', 'SQLITE_CANTOPEN', 'SQLITE_CANTOPEN_ISDIR', 'SQLITE_NOMEM'],
  ...['SQLITE_READONLY', 'SQLITE_READONLY_DBMOVED', 'SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB'],
  ...['SQLITE_INTERRUPT', 'SQLITE_PERM', 'SQLITE_AUTH', 'SQLITE_ABORT', 'SQLITE_ABORT_ROLLBACK', 'SQLITE_SCHEMA'],
  ...['SQLITE_INTERNAL', 'SQLITE_FORMAT', 'SQLITE_NOLFS', 'SQLITE_NOTFOUND', 'SQLITE_NEW_IN_A_LATER_VERSION'],
];

const kept = [
  ...['SQLITE_ERROR', 'SQLITE_ERROR_MISSING_COLLSEQ', 'SQLITE_MISUSE', 'SQLITE_RANGE', 'SQLITE_MISMATCH'],
  ...['SQLITE_TOOBIG', 'SQLITE_CONSTRAINT', 'SQLITE_CONSTRAINT_CHECK'],
];

describe('toStoreError', () => {
  test.each(unavailable)('%s says that the database cannot serve now', (code) => {
    const error = new Database.SqliteError('no', code);
    expect(toStoreError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 1 }, cause: error });
  });

  test.each(kept)("%s is a statement's own fault and stays as it is", (code) => {
    const error = new Database.SqliteError('no', code);
    expect(toStoreError(error)).toBe(error);
  });

  test.each(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'])('%s is a key that is taken', (code) => {
    const error = new Database.SqliteError('no', code);
    expect(toStoreError(error)).toMatchObject({ name: 'DuplicateKeyError', cause: error });
  });

  test('SQLITE_CONSTRAINT_FOREIGNKEY is a reference that would name no row', () => {
    const error = new Database.SqliteError('no', 'SQLITE_CONSTRAINT_FOREIGNKEY');
    expect(toStoreError(error)).toMatchObject({ name: 'ForeignKeyError', cause: error });
  });

  test('a table that is missing says to migrate', () => {
    const error = new Database.SqliteError('no such table: auth_users', 'SQLITE_ERROR');
    expect(toStoreError(error)).toMatchObject({ name: 'MigrationError', cause: error });
  });

  test('what is none of SQLite stays as it is', () => {
    const error = new TypeError('no');
    expect(toStoreError(error)).toBe(error);
    expect(toStoreError('no')).toBe('no');
  });
});
