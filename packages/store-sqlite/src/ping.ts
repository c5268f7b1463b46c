import { storeUnavailable } from '@x/store';

import { openReader } from './open-connection.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Reads the schema of a database file as somebody who opens it now would find it: open connections continue with a file
 * that was deleted, and with what they have cached of one that was overwritten.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` if there is none
 */
export function pingFile(path: string): void {
  const reader = orUnavailable(() => openReader(path));
  try {
    readSchema(reader);
  } finally {
    reader.close();
  }
}

/**
 * @throws CodedError `SERVICE_UNAVAILABLE` if no migration was applied, which creates the table that is read
 */
export function readSchema(connection: SqliteConnection): void {
  orUnavailable(() => connection.all('SELECT 1 FROM auth_migrations LIMIT 1', []));
}

/** Elsewhere a missing table or folder is an error; here it is the answer. */
function orUnavailable<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw storeUnavailable(error);
  }
}
