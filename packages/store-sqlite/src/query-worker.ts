import type { QueryOptions, QueryResult, SqlValue } from '@x/store-sql';
import type { SqliteConnection } from './connection.ts';
import { orUnavailable } from './errors.ts';
import { openReader } from './open-connection.ts';

// The program of the threads of `query/worker-queries.ts`. It is an entry of the package because a thread is started
// from a file, which has to exist under a known name even after an app has been bundled.

/** A query, and the file that it reads, which is always the same. */
export interface WorkerQuery {
  readonly path: string;
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly options: QueryOptions;
  /** How long it may run, in milliseconds. */
  readonly limitMs: number;
}

/** The outcome of a query. */
export type WorkerAnswer = QueryResult | { readonly failure: WorkerFailure };

/** An error as data, because an error object loses its class and properties on the way to another thread. */
export interface WorkerFailure {
  /** The code of the error, or its name if it has no code. */
  readonly kind: string;
  readonly message: string;
}

let reader: SqliteConnection | undefined;

/** Runs a query on the connection of this thread. The first query opens it. If that fails, only that query fails. */
export default function runQuery({ path, text, values, options, limitMs }: WorkerQuery): WorkerAnswer {
  try {
    reader ??= orUnavailable(() => openReader(path));
    return reader.query(text, values, options, limitMs);
  } catch (error) {
    const { name, message, code = name } = error as Error & { readonly code?: string };
    return { failure: { kind: code, message } };
  }
}
