import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import { defaultPatience } from '@x/store/engine';
import { reasonOf } from '@x/store-sql';
import Database from 'better-sqlite3';
import { SqliteConnection } from './connection.ts';
import { isBusy } from './errors.ts';

/** Which database file to open, and how. */
export interface WriterOptions {
  /** An absolute path, or `:memory:`. */
  readonly path: string;
  readonly synchronous: 'FULL' | 'NORMAL';
  /** How long other processes that open the file may block this one; 2000 ms by default. Tests change it. */
  readonly waitMs?: number;
}

/** How long a reader may block the event loop, which happens only while another process repairs the file. */
const maxReadWaitMs = 250;

/**
 * How many bytes of the file are memory-mapped for reading instead of copied, because queries of a large file often
 * miss the cache of SQLite. Mapped pages count as memory of the process once they are read, so they are bounded. The
 * rest of the file is read at half to four fifths of the speed. A read error of the disk ends the process, but so does
 * a read error in the index of the WAL, which SQLite always maps.
 */
const mappedBytes = 2 ** 26;

/**
 * Opens the connection that writes; creates the file if it does not exist.
 *
 * @throws ConfigurationError naming the file if it can't be opened and written
 * @throws CodedError `SERVICE_UNAVAILABLE` if another program locks it
 */
export function openWriter({ path, synchronous, waitMs }: WriterOptions): SqliteConnection {
  const pragmas = [...toRequired(synchronous), 'journal_size_limit = 67108864', ...commonPragmas];
  return retryWhileBusy(path, () => open(path, { timeout: 0 }, pragmas), waitMs);
}

/**
 * Uses a database that the app has opened. Only the settings on which the stores rely are changed: WAL, `synchronous`,
 * and the enforcement of references.
 *
 * @throws ConfigurationError if it is no open, writable database of better-sqlite3
 */
export function adoptWriter(database: unknown, synchronous: WriterOptions['synchronous']): SqliteConnection {
  if (!(database instanceof Database)) {
    throw new ConfigurationError([
      'database: must be a Database of better-sqlite3; if it is one, two copies of better-sqlite3 are installed.',
    ]);
  }
  if (!database.open || database.readonly || database.inTransaction) {
    throw new ConfigurationError(['database: must be open, and writable, and in no transaction.']);
  }
  try {
    assertUtf8(database);
  } catch (error) {
    throw new ConfigurationError([`database: cannot be used (${reasonOf(error)}).`], { cause: error });
  }
  for (const pragma of toRequired(synchronous)) database.pragma(pragma);
  return new SqliteConnection(database, { isGiven: true });
}

/** Opens a read-only connection to an existing file. Throws as {@link openWriter} does. */
export function openReader(path: string, waitMs?: number): SqliteConnection {
  return retryWhileBusy(path, () => open(path, { readonly: true, timeout: maxReadWaitMs }, readerPragmas), waitMs);
}

/** The settings on which the stores rely where they write. */
function toRequired(synchronous: WriterOptions['synchronous']): readonly string[] {
  return ['journal_mode = WAL', `synchronous = ${synchronous}`, 'foreign_keys = ON'];
}

const commonPragmas = ['trusted_schema = OFF', 'temp_store = MEMORY'];

/** The settings of connections that only read. */
const readerPragmas: readonly string[] = ['query_only = ON', `mmap_size = ${mappedBytes}`, ...commonPragmas];

function open(path: string, options: Database.Options, pragmas: readonly string[]): SqliteConnection {
  const openDatabase = (): Database.Database => {
    const database = new Database(path, options);
    try {
      // A read-only connection must not read the file before its first use, or it would keep the writer from tidying
      // up.
      if (!options.readonly) assertUtf8(database);
      for (const pragma of pragmas) database.pragma(pragma);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  return new SqliteConnection(openDatabase(), { reopen: path === ':memory:' ? undefined : openDatabase });
}

/** Refuses other encodings, in which lengths, orders and searches of texts would have other units. */
function assertUtf8(database: Database.Database): void {
  const encoding = String(database.pragma('encoding', { simple: true }));
  if (encoding !== 'UTF-8') throw new Error(`its encoding is ${encoding}, and must be UTF-8`);
}

/**
 * Retries, and blocks meanwhile, which is fine at startup. SQLite's busy handler does not wait for the change to WAL.
 */
function retryWhileBusy<T>(path: string, attempt: () => T, waitMs: number = defaultPatience.waitMs): T {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw new ConfigurationError([describeFailure(path, error)], { cause: error });
      if (performance.now() >= deadline) {
        throw storeUnavailable(new Error(`Another program locks the database file ${path}.`, { cause: error }));
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function describeFailure(path: string, error: unknown): string {
  const folder = dirname(path);
  if (path !== ':memory:' && !existsSync(folder)) {
    return `path: the folder ${folder} of the database file ${path} does not exist; create it first.`;
  }
  const code = error instanceof Database.SqliteError ? (/^SQLITE_[A-Z]+/.exec(error.code)?.[0] ?? '') : '';
  return `path: ${path} ${remedies[code] ?? `cannot be used as the database (${reasonOf(error)})`}.`;
}

/** The problem with the file, and the remedy, by the first two words of the result code. */
const remedies: Readonly<Record<string, string>> = {
  SQLITE_CANTOPEN: 'cannot be opened; it must be a file, not a folder, that this process may read and write',
  SQLITE_READONLY: 'is read-only; this process must be able to write the database file, and to create files beside it',
  SQLITE_NOTADB: 'is not an SQLite database; name another file, or move this one away',
};
