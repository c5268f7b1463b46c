import type { SqliteConnection } from './connection.ts';

/** How often to look, in milliseconds. It takes some microseconds. */
const pollMs = 50;

/**
 * Calls back soon after any process has committed, until the result is called.
 *
 * @param reader - a connection that never writes; null for a database in memory, where each look is a call
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

/** The number changes whenever another connection commits; null if there is no telling. */
function readVersion(reader: SqliteConnection | null): unknown {
  try {
    return reader?.all('PRAGMA data_version', [])[0]?.['data_version'] ?? null;
  } catch {
    return null;
  }
}
