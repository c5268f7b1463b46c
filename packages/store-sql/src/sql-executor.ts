import type { QueryBounds, TransactionOptions } from '@x/store';
import { assertStorableText } from '@x/store/engine';

/** A value that a statement can bind. Dates are bound as integer milliseconds, JSON as its text. */
export type SqlValue = string | number | boolean | null;

/**
 * The values of one statement, or a function that returns them when the statement runs: after any wait in this process,
 * just before it is sent. Values that depend on the time are provided this way.
 */
export type SqlValues = readonly SqlValue[] | (() => readonly SqlValue[]);

/**
 * Returns the values of a statement that runs now.
 *
 * @throws CodedError `VALIDATION_FAILED` if a text can't be stored, as with half a surrogate pair, which would reach
 * the database as another character
 */
export function toValues(given: SqlValues): readonly SqlValue[] {
  const values = typeof given === 'function' ? given() : given;
  for (const value of values) if (typeof value === 'string') assertStorableText(value);
  return values;
}

/** A row as the engine returns it: column names as written in the statement, values not validated. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Where statements run: on the database itself, or in one of its transactions.
 *
 * Values are bound as `$1`, `$2`, …; a number may appear more than once. An engine caches the prepared statements of
 * recent texts, so texts are constants if possible. Integers may be returned as numbers or decimal text, booleans as
 * booleans or 0 and 1. JSON is returned as its text.
 *
 * An unavailable database is `SERVICE_UNAVAILABLE`, a duplicate unique key `DuplicateKeyError`, and a dangling
 * reference `ForeignKeyError`.
 */
export interface SqlExecutor {
  /** Runs one statement that only reads. */
  read(text: string, values: SqlValues): Promise<readonly SqlRow[]>;

  /**
   * Runs one statement that only reads, whose cost depends on what a caller asked for. It is ended after two seconds,
   * and neither blocks the event loop nor keeps other statements waiting.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it takes longer
   */
  query(text: string, values: SqlValues, options: QueryOptions): Promise<QueryResult>;

  /** Runs one statement that writes, atomically and durably, and returns its `RETURNING` rows. */
  write(text: string, values: SqlValues): Promise<readonly SqlRow[]>;

  /**
   * Does the same as {@link write} for a statement that a constraint may refuse. In a transaction, which the refusal
   * would abort on some engines, only the statement is rolled back.
   */
  attempt(text: string, values: SqlValues): Promise<readonly SqlRow[]>;

  /** Runs one statement that writes and has no `RETURNING`, and says how many rows it changed. */
  execute(text: string, values: SqlValues): Promise<number>;

  /**
   * Runs a few statements as one atomic step. `work` must wait for nothing but its own statements, so that an engine
   * may let several steps share one commit. Its statements see and lock the newest rows.
   */
  step<T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T>;

  /**
   * Runs a caller's transaction; inside another one, a savepoint. When `work` ends, its executor can't be used any
   * more: a later call throws `TypeError`.
   */
  transaction<T>(work: (executor: SqlExecutor) => Promise<T>, options?: TransactionOptions): Promise<T>;

  /** Missing outside of a transaction. */
  readonly appStatements?: AppStatements;
}

/** Statements of the app's own in a transaction. */
export interface AppStatements {
  /** Calls what runs them. If it throws, the transaction is rolled back, even if its work resolves. */
  run<T>(work: (all: SqlExecutor['write']) => Promise<T>): Promise<T>;

  /** The connection of the driver. */
  readonly connection: unknown;
}

/** The facts about a query that an engine needs. */
export interface QueryOptions extends QueryBounds {
  /** Whether it may visit many more rows than it returns: it does unless an index can answer its whole condition. */
  readonly mayScan: boolean;
  /** How many rows it returns at most. */
  readonly maxRows: number;
}

/** The rows of a query. */
export interface QueryResult {
  readonly rows: readonly SqlRow[];
  /** Whether rows are missing because of `maxCharacters`. */
  readonly isCut: boolean;
}
