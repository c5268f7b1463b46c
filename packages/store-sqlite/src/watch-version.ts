import type { SqliteConnection } from './connection.ts';

/** How often to read the version, in milliseconds. A read takes some microseconds. */
const pollMs = 50;

/**
 * Calls back soon after any process has committed, until the result is called.
 *
 * @param reader - a connection that never writes; null for a database in memory, where each interval is a call
 */
export function watchVersion(reader: SqliteConnection | null, onChange: () => void): () => void {
  let seen = readVersion(reader);
  const timer = setInterval(() => {
    const version = readVersion(reader);
    const isSame = version !== null && version === seen;
    seen = version;
    if (!isSame) onChange();
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns a number that changes whenever another connection commits; null if it can't be read. */
function readVersion(reader: SqliteConnection | null): unknown {
  try {
    return reader?.all('PRAGMA data_version', [])[0]?.['data_version'] ?? null;
  } catch {
    return null;
  }
}
