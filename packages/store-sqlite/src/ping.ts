import { storeUnavailable } from '@x/store';

import { openReader } from './open-connection.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Asserts that a database file is there and has a schema, as whoever opens it now would find it: connections that
 * are open go on with a file that was deleted, and with what they remember of one that was overwritten.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE`
 */
export function pingFile(path: string): void {
  const reader = orUnavailable(() => openReader(path));
  try {
    assertSchema(reader);
  } finally {
    reader.close();
  }
}

/** @throws CodedError `SERVICE_UNAVAILABLE` where no migration was applied to the database */
export function assertSchema(connection: SqliteConnection): void {
  const applied = orUnavailable(() => connection.all('SELECT 1 FROM auth_migrations LIMIT 1', []));
  if (applied.length === 0) throw storeUnavailable();
}

/** A table or a folder that is missing is a mistake elsewhere; here it is the answer. */
function orUnavailable<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw storeUnavailable(error);
  }
}
