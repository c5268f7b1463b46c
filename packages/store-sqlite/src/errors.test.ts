import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
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
  it.each(unavailable)('converts %s to SERVICE_UNAVAILABLE', (code) => {
    const error = new Database.SqliteError('no', code);
    expect(toStoreError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 1 }, cause: error });
  });

  it.each(kept)('leaves %s unchanged, because the statement caused it', (code) => {
    const error = new Database.SqliteError('no', code);
    expect(toStoreError(error)).toBe(error);
  });

  it.each(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'])('converts %s to a duplicate key', (code) => {
    const error = new Database.SqliteError('UNIQUE constraint failed: app_a.b, app_a.c', code);
    expect(toStoreError(error)).toMatchObject({ name: 'DuplicateKeyError', key: 'app_a.b, app_a.c', cause: error });
  });

  it('converts SQLITE_CONSTRAINT_FOREIGNKEY to a dangling reference', () => {
    const error = new Database.SqliteError('no', 'SQLITE_CONSTRAINT_FOREIGNKEY');
    expect(toStoreError(error)).toMatchObject({ name: 'ForeignKeyError', cause: error });
  });

  it('says to migrate if a table is missing', () => {
    const error = new Database.SqliteError('no such table: auth_users', 'SQLITE_ERROR');
    expect(toStoreError(error)).toMatchObject({ name: 'MigrationError', cause: error });
  });

  it('leaves other errors unchanged', () => {
    const error = new TypeError('no');
    expect(toStoreError(error)).toBe(error);
    expect(toStoreError('no')).toBe('no');
  });
});
