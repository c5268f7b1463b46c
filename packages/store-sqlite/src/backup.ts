import { rename, rm } from 'node:fs/promises';
import { ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import Database from 'better-sqlite3';

/**
 * Copies a database as it is now to another file, with SQLite's online backup, while connections read and write. A read
 * transaction keeps the copied snapshot, so that no write restarts the copy. The file appears once it is complete, and
 * replaces an existing one.
 *
 * @throws ConfigurationError for a database in memory
 * @throws CodedError `SERVICE_UNAVAILABLE` if the file can't be written
 */
export async function backUp(path: string, target: string): Promise<void> {
  if (path === ':memory:') throw new ConfigurationError(['path: a database in memory has no file to back up.']);
  const partial = `${target}.partial`;
  const source = new Database(path, { readonly: true });
  try {
    source.exec('BEGIN');
    source.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
    await rm(partial, { force: true });
    await source.backup(partial);
    await rename(partial, target);
  } catch (error) {
    throw storeUnavailable(error);
  } finally {
    source.close();
  }
}
