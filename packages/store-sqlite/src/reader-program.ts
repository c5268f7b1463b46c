import { constants, setPriority } from 'node:os';
import { cutRows } from '@x/store-sql/cut-rows';
import Database from 'better-sqlite3';
import { defineFoldCase } from './fold-case.ts';

// The program of the processes of `query/reader-process.ts`, which is told the database and its pragmas as arguments. It
// is an entry of the package because a process is started from a file, which has to exist under a known name even after
// an app has been bundled. It loads little, because each process holds all of it in memory.

/** A statement to run: its text and values as SQLite takes them. */
export interface ReaderQuery {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
  /** The rows end with the one that makes their texts longer than this, in UTF-16 code units. */
  readonly maxCharacters: number | undefined;
  /** The columns whose texts don't count. */
  readonly uncounted: ReadonlySet<string> | undefined;
}

/** Its rows, or what SQLite says about it. The first message has no rows: the program is ready. */
export type ReaderAnswer =
  | { readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly isCut: boolean }
  | { readonly message: string; readonly code: string | undefined };

const [path, ...pragmas] = process.argv.slice(2);

process.on('message', (query: ReaderQuery) => send(run(query)));
// A terminal and a service manager send these to all processes. The app still needs this one while it closes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
send({ rows: [], isCut: false });

/** Opens the database for each query, since only closing it releases what statements take. */
function run(query: ReaderQuery): ReaderAnswer {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly: true });
    for (const pragma of pragmas) database.pragma(pragma);
    defineFoldCase(database);
    return read(database, query);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { message, code: error instanceof Database.SqliteError ? error.code : undefined };
  } finally {
    database?.close();
  }
}

function read(database: Database.Database, { text, values, maxCharacters, uncounted }: ReaderQuery): ReaderAnswer {
  const rows = database.prepare<(string | number | null)[], Record<string, unknown>>(text).iterate(...values);
  return cutRows(rows, { ...(maxCharacters !== undefined && { maxCharacters }), ...(uncounted && { uncounted }) });
}

function send(answer: ReaderAnswer): void {
  process.send?.(answer);
}
