import { workerData } from 'node:worker_threads';
import type { QueryOptions, QueryResult, SqlValue } from '@x/store-sql';
import type { SqliteConnection } from './connection.ts';
import { orUnavailable } from './errors.ts';
import { openReader } from './open-connection.ts';

// The program of the threads of `query/worker-queries.ts`. It is an entry of the package because a thread is started
// from a file, which has to exist under a known name even after an app has been bundled.

export interface WorkerSettings {
  readonly path: string;
  /** How long a query may run, in milliseconds. */
  readonly statementMs: number;
}

export interface WorkerQuery {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly options: QueryOptions;
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
export default function runQuery({ text, values, options }: WorkerQuery): WorkerAnswer {
  const { path, statementMs } = workerData as WorkerSettings;
  try {
    reader ??= orUnavailable(() => openReader(path));
    return reader.query(text, values, options, statementMs);
  } catch (error) {
    const { name, message, code = name } = error as Error & { readonly code?: string };
    return { failure: { kind: code, message } };
  }
}
