import type { ColumnType, Revocation, TextOperator, TransactionOptions } from '@x/store';

/** A value that a statement can bind. Moments are bound as integer milliseconds, JSON as its text. */
export type SqlValue = string | number | boolean | null;

/**
 * The values of one statement, or what makes them when the statement runs: after whatever it had to wait for in
 * this process, just before it is sent. What depends on the moment is made so.
 */
export type SqlValues = readonly SqlValue[] | (() => readonly SqlValue[]);

/** A row as the engine returns it: column names as written in the statement, values not checked yet. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Where statements run: on the database itself, or inside one of its transactions.
 *
 * Values are bound as `$1`, `$2`, …; a number may appear more than once. An engine keeps the prepared
 * statements of the texts that it met last, so texts are constants where they can be. Integers may come back as
 * numbers or decimal text, booleans as booleans or 0 and 1, JSON as its text or parsed.
 *
 * A database that can't serve is `SERVICE_UNAVAILABLE`, a unique key that is taken `DuplicateKeyError`, and a
 * reference that would name no row `ForeignKeyError`.
 */
export interface SqlScope {
  /** Runs one statement that only reads. */
  read(text: string, values: SqlValues): Promise<readonly SqlRow[]>;

  /** Runs one statement that writes, atomically and durably, and returns its `RETURNING` rows. */
  write(text: string, values: SqlValues): Promise<readonly SqlRow[]>;

  /**
   * Does what {@link write} does for a statement that a constraint may refuse. Inside a transaction, which the refusal
   * would spoil on some engines, it is undone alone.
   */
  attempt(text: string, values: SqlValues): Promise<readonly SqlRow[]>;

  /** Runs one statement that writes and has no `RETURNING`, and says how many rows it changed. */
  execute(text: string, values: SqlValues): Promise<number>;

  /**
   * Runs a few statements as one atomic step. `work` waits for nothing but its own statements, so that an
   * engine may let several steps share one commit. Its statements see and lock the newest rows.
   */
  step<T>(work: (scope: SqlScope) => Promise<T>): Promise<T>;

  /**
   * Runs a caller's transaction; inside another one, a savepoint. The scope handed to `work` is over when
   * it ends: a later call on it throws `TypeError`.
   */
  transaction<T>(work: (scope: SqlScope) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** Makes a store on the database itself or in one of its transactions; what they share is made once, before. */
export type OnScope<Store> = (sql: SqlScope) => Store;

/** The pieces of SQL in which the engines differ. */
export interface SqlDialect {
  /** Ends a `SELECT` whose rows stay locked until the transaction is over; empty where writers are alone anyway. */
  readonly lockRow: string;

  /** The same, but leaves out rows that another transaction has locked instead of waiting for them. */
  readonly lockFreeRows: string;

  /** Locks of names that last until the transaction is over; null where a transaction is alone anyway. */
  readonly locks: SqlLocks | null;

  /** Whether a query may begin with statements that write: `WITH changed AS (UPDATE …)`. */
  readonly queriesMayWrite: boolean;

  /** How the columns of entities are declared. */
  readonly columnTypes: Readonly<Record<ColumnType, string>>;

  /** What follows the columns of an entity's table. */
  readonly tableOptions: string;

  /** What says whether a text has another one in it, literally and by case. Both are given as SQL. */
  readonly textOperators: Readonly<Record<TextOperator, (text: string, part: string) => string>>;

  /** Writes values, one at least, as one that can be bound, so that lists of any length share a text. */
  toList(values: readonly SqlValue[]): SqlValue;

  /**
   * Says, behind a column of a type, that it equals one of the values of a list.
   *
   * @param list - the parameter that the list is bound to
   */
  among(type: ColumnType, list: string): string;

  /** Selects the texts of a list as `value`, each with its `place` in it, from 0. */
  selectTexts(list: string): string;

  /** Converts a text or a number to a value of JSON, so that both may be in one column. */
  toJson(value: string): string;

  /** Gathers a column of such values in all rows of a group as a JSON array. */
  gather(column: string): string;
}

/** What locks the name that an expression has, as expressions; a query takes the locks that it selects in their order. */
export interface SqlLocks {
  /** For its transaction alone. */
  readonly exclusive: (name: string) => string;

  /** Together with others that share it. */
  readonly shared: (name: string) => string;
}

/** A transaction that can change the schema, and that no other process migrates beside. */
export interface MigrationScope extends Pick<SqlScope, 'read' | 'execute'> {
  /** Runs a text of several statements without values. */
  runScript(text: string): Promise<void>;
}

/** One database, as an engine package offers it. */
export interface SqlDriver extends SqlScope {
  readonly dialect: SqlDialect;

  /** Brings the database to the schema of this version, then runs what is to follow in the same turn. */
  migrate(andThen?: (scope: MigrationScope) => Promise<void>): Promise<void>;

  /** Resolves where the database answers. */
  ping(): Promise<void>;

  /** Reads the clock of the server at this moment, not at the start of a transaction; `null` where there is no server. */
  readServerTime(): Promise<Date | null>;

  /**
   * Tells, from now until the close, of what other processes on the database revoked, soon after their commits. Missing
   * where the engine can't broadcast.
   */
  subscribe?(tell: (revocations: readonly Revocation[]) => void): void;

  /** Waits for what is under way and lets go of the database. Idempotent. */
  close(): Promise<void>;
}
