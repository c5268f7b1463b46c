import type { Clock, ColumnType, DecimalSize, QueryBounds, Revocation, TransactionOptions } from '@x/store';
import type { TextOperator } from '@x/store/where';

/** A value that a statement can bind. Dates are bound as integer milliseconds, JSON as its text. */
export type SqlValue = string | number | boolean | null;

/**
 * The values of one statement, or a function that returns them when the statement runs: after any wait in this process,
 * just before it is sent. Values that depend on the time are provided this way.
 */
export type SqlValues = readonly SqlValue[] | (() => readonly SqlValue[]);

/** Returns the values of a statement that runs now. */
export function toValues(values: SqlValues): readonly SqlValue[] {
  return typeof values === 'function' ? values() : values;
}

/** A row as the engine returns it: column names as written in the statement, values not validated. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Where statements run: on the database itself, or in one of its transactions.
 *
 * Values are bound as `$1`, `$2`, …; a number may appear more than once. An engine caches the prepared statements of
 * recent texts, so texts are constants if possible. Integers may be returned as numbers or decimal text, booleans as
 * booleans or 0 and 1, JSON as its text or parsed.
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

/** What an engine has to know of a query. */
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

/** Creates a store on the database itself or in one of its transactions; what they share is created once, before. */
export type OnExecutor<Store> = (sql: SqlExecutor) => Store;

/** What all stores share, inside and outside of transactions. */
export interface SqlStoreDependencies {
  readonly dialect: SqlDialect;
  /** The only source of time. */
  readonly clock: Clock;
}

/** The pieces of SQL in which the engines differ. */
export interface SqlDialect {
  /** Ends a `SELECT` that locks its rows until the transaction ends; empty if writers run alone anyway. */
  readonly lockRow: string;

  /** The same, but skips rows that another transaction has locked instead of waiting for them. */
  readonly lockFreeRows: string;

  /** Locks on names that last until the transaction ends; null if a transaction runs alone anyway. */
  readonly locks: SqlLocks | null;

  /** Whether a statement keeps the event loop of this process until it has ended, so that long ones are divided. */
  readonly keepsEventLoop: boolean;

  /** Whether a query may begin with writing statements: `WITH changed AS (UPDATE …)`. */
  readonly queriesMayWrite: boolean;

  /**
   * Begins a condition, up to and including `AND`, with one that is always true. It is checked for each row that a query
   * visits, by which the engine notices how long it takes. Empty if the engine ends statements itself.
   *
   * @param column - a column without nulls of the inner table of a join, for whose rows it is checked; default: those of
   * the outer one
   */
  rowGuard(column?: string): string;

  /** The types of the columns of entities. */
  readonly columnTypes: Readonly<Record<ColumnType, string>>;

  /** Writes a text as a literal that is the same whatever the settings of whoever runs it, now or in a trigger. */
  toTextLiteral(text: string): string;

  /** Converts a decimal, written with all of its digits, to what a column stores. */
  encodeDecimal(decimal: string): SqlValue;

  /** Converts a cell of such a column back. */
  decodeDecimal(cell: unknown, size: DecimalSize): string;

  /**
   * The statements that read what the database knows of the table whose name is `$1`: `name`, `type`, `is_required` and
   * `has_default` of its columns, and the `name` of each index that can be used. They find nothing if there is no such table.
   */
  readonly catalog: { readonly columns: string; readonly indexes: string };

  /** Triggers that raise the version of a row when the engine sets a reference of it to null, which no statement did. */
  readonly lostReferences: LostReferences;

  /** Triggers by which two columns of a table follow each other. */
  readonly columnLinks: ColumnLinks;

  /** Converts between a column and a wider one: an integer and a number, or decimals. Both directions take SQL. */
  widening(narrow: ColumnKind, wide: ColumnKind): Widening;

  /** Sums a column of integers or decimals without rounding, however many there are, as a text. */
  sum(column: string): string;

  /** Converts such a text to units of the last of `scale` digits after the point. */
  decodeSum(cell: string, scale: number): bigint;

  /** Whether an index is built without making writes wait. */
  readonly buildsIndexesBesideWrites: boolean;

  /** The text after the columns of an entity's table. */
  readonly tableOptions: string;

  /** The expressions for whether a text contains another one, literally and case-sensitively. Both are given as SQL. */
  readonly textOperators: Readonly<Record<TextOperator, (text: string, part: string) => string>>;

  /**
   * Folds the case of a text that is given as SQL, at least of those characters that a part to look for has in any case.
   *
   * @param part - whose case is folded
   * @param bind - binds a value and returns its placeholder
   */
  foldCase(text: string, part: string, bind: (value: SqlValue) => string): string;

  /** Converts one or more values to a single bindable one, so that lists of any length share a statement text. */
  toList(values: readonly SqlValue[]): SqlValue;

  /**
   * Writes the condition, to follow a column of a type, that it equals one of the values of a list.
   *
   * @param list - the parameter that the list is bound to
   */
  in(type: ColumnType, list: string): string;

  /** Writes the condition, to follow a column, that it equals one of the texts of a query that does not depend on its row. */
  isOneOf(query: string): string;

  /** Selects the texts of a list as `value`, each with its `place` in it, from 0. */
  selectTexts(list: string): string;

  /**
   * Selects from a table, for each text of a list in its order, the rows with the lowest ids that satisfy a condition,
   * by id. The query is not sorted, so that reading its first rows costs no more than those.
   */
  selectEach(parts: SelectEach): string;

  /**
   * Joins each row of a table with the first values of a column of another one whose rows satisfy a condition, for use
   * after `FROM`. The other table is named `first_`; a value may appear more than once.
   */
  joinFirst(parts: JoinFirst): string;

  /** Converts a text or a number to a JSON value, so that both may be in one column. */
  toJson(value: string): string;

  /** Converts two texts to such a value, a JSON array. */
  toJsonPair(first: string, second: string): string;

  /** Aggregates a column of such values in a group as a JSON array. */
  jsonAgg(column: string): string;

  readonly changes: SqlChangeDialect;
}

/** A trigger that appends changes of a table to the feed. */
export interface ChangeTrigger {
  /** Contains the digest of all that it does, so one with this name need not be created again. */
  readonly name: string;
  readonly table: string;
  /** When it runs, such as `UPDATE OF ver`. */
  readonly event: string;
  /** The condition on the row; empty for every row. */
  readonly condition: string;
  /** The statement that it runs. */
  readonly statement: string;
}

/** The pieces of SQL of the feed of changes. A position is two numbers with a point between, which order the rows. */
export interface SqlChangeDialect {
  /** The position of a row of the feed. */
  readonly position: string;

  /** A query for the position up to which nothing will be added any more, in parentheses. */
  readonly end: string;

  /** The condition on the rows after a position. */
  isAfter(position: string): string;

  /** The condition on the rows before which nothing will be added any more. */
  readonly isSettled: string;

  /** The columns of the order. */
  readonly order: string;

  /** The time of the database, in milliseconds. */
  readonly now: string;

  /** Builds a JSON object of any number of members. */
  toImage(members: readonly (readonly [name: string, sql: string])[]): string;

  /** Converts a cell to a member that loses nothing. */
  toImageCell(type: ColumnType, cell: string): string;

  /** Selects the `name` and `table_name` of each trigger that appends changes. */
  readonly listTriggers: string;

  createTrigger(trigger: ChangeTrigger): string;

  dropTrigger(trigger: Pick<ChangeTrigger, 'name' | 'table'>): string;
}

/** The type of a column, and its size if it is a decimal. */
interface ColumnKind {
  readonly type: ColumnType;
  readonly decimal: DecimalSize | null;
}

/** The expressions that convert to a wider column, and back as well as possible. */
interface Widening {
  readonly toWide: (narrow: string) => string;
  readonly toNarrow: (wide: string) => string;
}

/** How an engine creates and drops such a trigger; all parts are SQL. */
interface LostReferences {
  create(trigger: {
    readonly name: string;
    readonly table: string;
    readonly column: string;
    readonly version: string;
  }): string;
  drop(trigger: { readonly name: string; readonly table: string }): string;
}

/** How an engine creates and drops the triggers of a link. */
interface ColumnLinks {
  create(link: ColumnLink): string;
  drop(link: Pick<ColumnLink, 'name' | 'table'>): string;
}

/** Two columns of a table of which one replaces the other, in SQL. */
export interface ColumnLink {
  /** The name of the triggers, which an engine may append to. */
  readonly name: string;
  readonly table: string;
  readonly old: string;
  readonly replacement: string;
  /** Whether the old column is JSON, which some engines can't compare. */
  readonly isJson: boolean;
  /**
   * How each follows the other, and the literal that the old column has in a row whose writer does not know it. Null if
   * the new column only becomes null when the old one changes.
   */
  readonly sync: (Widening & { readonly initial: string }) | null;
}

/** Which rows to select for each text of a list. All parts are SQL. */
interface SelectEach {
  /** What to select of each row. */
  readonly selection: string;
  readonly table: string;
  /** The parameter that the list is bound to. */
  readonly list: string;
  /** Builds the condition on a row, for the expression of the text. */
  readonly condition: (text: string) => string;
  /** The parameter for the maximum number of rows for each text. */
  readonly limit: string;
}

/** Which values to join with each row. All parts are SQL. */
interface JoinFirst {
  /** The table whose rows are joined. */
  readonly outer: string;
  readonly table: string;
  /** The column whose first values are joined. Nothing else of its table may be selected. */
  readonly column: string;
  /** Builds the condition on a row, for the name of its table. */
  readonly condition: (row: string) => string;
  /** The parameter for the maximum number of different values for each row. */
  readonly limit: string;
}

/**
 * Locks the name that an expression gives, as SQL expressions; a query takes the locks that it selects in their order.
 */
export interface SqlLocks {
  /** Exclusive to its transaction. */
  readonly exclusive: (name: string) => string;

  /** Shared with others that share it. */
  readonly shared: (name: string) => string;
}

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

  /** Calls back soon after any process may have appended to the feed of changes, until the result is called. */
  watchChanges(onHint: () => void): () => void;

  /** Waits for calls in progress and closes the database. Idempotent. */
  close(): Promise<void>;
}

/** Represents a row that was refused because another row has its unique key. Contains no value. */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError';
  /** What the engine calls the key: its index or constraint, or its columns as in `table.one, table.other`. */
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super('Another row has the unique key.', { cause });
    this.key = key;
  }
}

/**
 * Represents a row that was refused because of a reference: it refers to no row, or another one refers to it. Contains
 * no value.
 */
export class ForeignKeyError extends Error {
  override readonly name = 'ForeignKeyError';

  constructor(cause: unknown) {
    super('A reference would name no row.', { cause });
  }
}
