import { storeUnavailable } from '@x/store';
import Database from 'better-sqlite3';
import { SqliteConnection } from './connection.ts';
import { isBusy, toStoreError } from './errors.ts';

/** Which database file to open, and how. */
export interface WriterOptions {
  /** An absolute path, or `:memory:`. */
  readonly path: string;
  readonly synchronous: 'FULL' | 'NORMAL';
}

/** How long the first connections to a new file may block each other. */
const maxOpeningMs = 2000;

/** How long a reader may block the event loop, which happens only while another process repairs the file. */
const maxReadWaitMs = 250;

/**
 * How much of the file is memory-mapped for reading instead of copied: in a large file, most of what a query needs is
 * in no cache of SQLite. A disk that fails to read it ends the process; but so does one that fails to read the index of
 * the WAL, which SQLite always maps.
 */
const mappedBytes = 2 ** 30;

/** Opens the connection that writes; creates the file if it does not exist. */
export function openWriter({ path, synchronous }: WriterOptions): SqliteConnection {
  return retryWhileBusy(() =>
    open(path, { timeout: 0 }, [
      'journal_mode = WAL',
      `synchronous = ${synchronous}`,
      'foreign_keys = ON',
      'journal_size_limit = 67108864',
    ]),
  );
}

/** Opens a read-only connection to an existing file. */
export function openReader(path: string): SqliteConnection {
  return retryWhileBusy(() =>
    open(path, { readonly: true, timeout: maxReadWaitMs }, ['query_only = ON', `mmap_size = ${mappedBytes}`]),
  );
}

function open(path: string, options: Database.Options, pragmas: readonly string[]): SqliteConnection {
  const database = new Database(path, options);
  try {
    for (const pragma of [...pragmas, 'trusted_schema = OFF', 'temp_store = MEMORY']) database.pragma(pragma);
    return new SqliteConnection(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Blocks, which is fine at startup: SQLite's busy handler does not wait for the change to WAL. */
function retryWhileBusy<T>(attempt: () => T): T {
  const deadline = performance.now() + maxOpeningMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw toStoreError(error);
      if (performance.now() >= deadline) throw storeUnavailable(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
