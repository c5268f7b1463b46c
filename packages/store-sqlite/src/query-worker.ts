import { workerData } from 'node:worker_threads';
import type { QueryOptions, QueryResult, SqlValue } from '@x/store-sql';
import type { SqliteConnection } from './connection.ts';
import { orUnavailable } from './errors.ts';
import { openReader } from './open-connection.ts';

// What a thread of `query/worker-queries.ts` runs. It is an entry of the package because a thread is started from a file,
// which has to exist under a known name even after an app has been bundled.

/** What a thread is told when it starts. */
export interface WorkerSettings {
  /** The absolute path of the database file. */
  readonly path: string;
  /** How long a query may run, in milliseconds. */
  readonly statementMs: number;
}

/** A query to run. */
export interface WorkerQuery {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly options: QueryOptions;
}

/** What came of it. */
export type WorkerAnswer = QueryResult | { readonly failure: WorkerFailure };

/** An error, which would lose its class and its properties on the way to another thread. */
export interface WorkerFailure {
  /** Its code, or the name of one without. */
  readonly kind: string;
  readonly message: string;
}

let reader: SqliteConnection | undefined;

/** Runs a query on the connection of this thread. The first one opens it: if that fails, only that query does. */
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
