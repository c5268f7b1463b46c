import type { Revocation } from '@x/store';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlExecutor, SqlRow, SqlValues } from './sql-executor.ts';

/** A transaction that can change the schema, while no other process migrates. */
export interface MigrationExecutor extends Pick<SqlExecutor, 'read' | 'execute'> {
  /** Runs one statement of the app's own. */
  runOfApp(text: string, values: SqlValues): Promise<readonly SqlRow[]>;

  /** Runs a text of several statements without values. */
  runScript(text: string): Promise<void>;
}

/** The steps of one `migrate()`. Other processes may migrate between them, or wait for the last; the engine decides. */
export interface MigrationSession {
  /** Runs in a transaction, while no other process migrates. It may run again if it would make others wait. */
  transaction<T>(work: (executor: MigrationExecutor) => Promise<T>): Promise<T>;

  /**
   * Builds an index, beside writers if the engine can. One that is there already is kept, unless its build was killed.
   *
   * @throws DuplicateKeyError if it is unique, and rows are not
   */
  buildIndex(index: IndexBuild): Promise<void>;
}

/** An index to build, in SQL. */
export interface IndexBuild {
  readonly name: string;
  readonly isUnique: boolean;
  /** The table, and its columns in parentheses. */
  readonly on: string;
}

/** A database, as an engine package provides it. */
export interface SqlDriver extends SqlExecutor {
  readonly dialect: SqlDialect;

  /** Migrates the database to the schema of this version, then runs `andThen`. */
  migrate(andThen?: (session: MigrationSession) => Promise<void>): Promise<void>;

  /** Resolves if the database answers. */
  ping(): Promise<void>;

  /** Reads the current time of the server, not that of the start of a transaction; `null` if there is no server. */
  readServerTime(): Promise<Date | null>;

  /**
   * Reports, until the close, what processes on the database revoke, soon after their commits. Missing if the
   * engine can't broadcast.
   */
  subscribe?(publish: (revocations: readonly Revocation[]) => void): void;

  /**
   * Returns those revocations of this process that {@link subscribe} has not reported yet; it does not report them any
   * more. Missing if it never does.
   */
  claim?(revocations: readonly Revocation[]): readonly Revocation[];

  /**
   * Calls back soon after any process may have appended to the feed of changes, until the result is called. There is
   * one caller at a time.
   */
  watchChanges(onHint: () => void): () => void;

  /** Waits for calls in progress and closes the database. Idempotent. */
  close(): Promise<void>;
}
