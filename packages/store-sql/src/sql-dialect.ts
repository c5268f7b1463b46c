import type { ColumnType, DecimalSize, EntityKey } from '@x/store';
import type { JsonType, TextOperator } from '@x/store/where';
import type { SqlValue } from './sql-executor.ts';

/** The pieces of SQL in which the engines differ. */
export interface SqlDialect {
  /** Ends a `SELECT` that locks its rows until the transaction ends; empty if writers run alone anyway. */
  readonly lockRow: string;

  /** The same for rows that are about to be deleted: no other transaction refers to them until then, either. */
  readonly lockDeleted: string;

  /** The same, but skips rows that another transaction has locked instead of waiting for them. */
  readonly lockFreeRows: string;

  /** Locks on names that last until the transaction ends; null if a transaction runs alone anyway. */
  readonly locks: SqlLocks | null;

  /** Whether a statement keeps the event loop of this process until it has ended, so that long ones are divided. */
  readonly keepsEventLoop: boolean;

  /** Whether a query may begin with writing statements: `WITH changed AS (UPDATE …)`. */
  readonly queriesMayWrite: boolean;

  /**
   * Begins a condition, up to and including `AND`, with one that is always true. It is checked for each row that a
   * query visits, by which the engine notices how long it takes. Empty if the engine ends statements itself.
   *
   * @param column - a column without nulls of the inner table of a join, for whose rows it is checked; default: those
   * of the outer one
   */
  rowGuard(column?: string): string;

  /** The types of the columns of entities. */
  readonly columnTypes: Readonly<Record<ColumnType, string>>;

  /** The types of columns of ours that refer to a table without us, by how ids are stored there. */
  readonly keyTypes: Readonly<Record<EntityKey['type'], string>>;

  /** Writes a text as a literal with the same meaning under the settings of any connection, also in a trigger. */
  toTextLiteral(text: string): string;

  /** Converts a decimal, written with all of its digits, to what a column stores. */
  encodeDecimal(decimal: string): SqlValue;

  /** Converts a cell of such a column back. */
  decodeDecimal(cell: unknown, size: DecimalSize): string;

  /** How the engine tells what it knows of a table. */
  readonly catalog: SqlCatalog;

  /** Says whether an error means that a row was refused for its values, by a constraint or a trigger of the app's. */
  readonly isRefusal: (error: unknown) => boolean;

  /** What the columns of tables hold that are there without us. */
  readonly existing: SqlExistingTables;

  /** Triggers that raise the version of a row when the engine, and no statement, sets a reference of it to null. */
  readonly lostReferences: LostReferences;

  /** Triggers by which two columns of a table follow each other. */
  readonly columnLinks: ColumnLinks;

  /** Converts between a column and a wider one: an integer and a number, or decimals. Both directions take SQL. */
  widening(narrow: ColumnKind, wide: ColumnKind): Widening;

  /**
   * Sums a column of integers, decimals or numbers without rounding, however many there are, as a text. A number counts
   * as it is written in decimal.
   */
  sum(column: string, type: ColumnType): string;

  /** Converts such a text to the sum without an exponent. */
  decodeSum(cell: string, kind: ColumnKind): string;

  /** Whether an index is built without making writes wait. */
  readonly buildsIndexesBesideWrites: boolean;

  /** The text after the columns of an entity's table. */
  readonly tableOptions: string;

  /** The expressions for whether a text contains another one, literally and case-sensitively. Both are given as SQL. */
  readonly textOperators: Readonly<Record<TextOperator, (text: string, part: string) => string>>;

  /**
   * Folds the case of a text that is given as SQL, at least of the characters that a part to look for has in any case.
   *
   * @param part - whose case is folded
   * @param bind - binds a value and returns its placeholder
   */
  foldCase(text: string, part: string, bind: (value: SqlValue) => string): string;

  /**
   * Reads the value at a path in a column of JSON, which is given as SQL: null if it is missing, null, or of another
   * type. Of the type `json`, it is anything else that is not null.
   *
   * @param bind - binds a value and returns its placeholder
   */
  jsonAtPath(
    column: string,
    place: { readonly path: readonly string[]; readonly as: JsonType },
    bind: (value: SqlValue) => string,
  ): string;

  /** Converts one or more values to a single bindable one, so that lists of any length share a statement text. */
  toList(values: readonly SqlValue[]): SqlValue;

  /**
   * Writes the condition, to follow a column of a type, that it equals one of the values of a list.
   *
   * @param list - the parameter that the list is bound to
   */
  in(type: ColumnType | 'uuid', list: string): string;

  /** Writes the condition, to follow a column, that it is one of the texts of a query independent of its row. */
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

/** The statements that read what a database knows of a table or view. They find nothing without it. */
export interface SqlCatalog {
  /** Returns the values that each of the statements binds for a table. */
  toPlace(name: ExistingName): readonly SqlValue[];

  /**
   * Selects `name`, `type`, `is_required`, `has_default`, `is_computed` and `is_view` of each column, in their order;
   * and `is_enum`, `is_binary`, `is_loose` and `precision` where the engine has such columns.
   *
   * @see DescribedColumn
   */
  readonly columns: string;

  /** Selects the keys of {@link DescribedTable}: `name`, `is_primary`, and `columns` as a JSON array. */
  readonly keys: string;

  /** Selects the `name` of each index that can be used. */
  readonly indexes: string;
}

/** What the columns of tables hold that a database has without us. */
export interface SqlExistingTables {
  /**
   * Says how values of a type are converted from and to a column.
   *
   * @param name - the quoted name of the column
   * @returns null if the column does not hold such values
   */
  toForm(wanted: WantedColumn, column: DescribedColumn, name: string): ExistingForm | null;

  /** Says why no table of ours can refer to a column of ids, as in `is in another file`; null if one can. */
  whyNotReferred(name: ExistingName, key: EntityKey['type'], column: DescribedColumn): string | null;
}

/** What an existing column holds. */
export interface ExistingForm extends ColumnForm {
  /** The column as conditions use it. Default: its name. */
  readonly sql?: string;
  /** Whether that is null for cells that are no values of the field, though the column is not. */
  readonly mayBeNull?: boolean;
}

/** How values are converted from and to an existing column, in SQL. What is missing needs no conversion. */
export interface ColumnForm {
  /** The column as rows are sorted by it, and less or greater than others. */
  readonly sorted?: string;
  /** The column as the text that ids and references are elsewhere. */
  readonly text?: string;
  /** The type of the lists that it is looked up in. */
  readonly listType?: ColumnType | 'uuid';
  /** Converts a value of the column, or the least or greatest of them, to the one that we read. */
  readonly toShown?: (value: string) => string;
  /** Converts a value that we bind to one that the column is compared with. */
  readonly toCompared?: (value: string) => string;
  /** Converts a value that we bind to one that the column stores. Default: as `toCompared`. */
  readonly toStored?: (value: string) => string;
}

/** The name of a table, and that of its schema; null for the default one. */
export interface ExistingName {
  readonly schema: string | null;
  readonly table: string;
  /** Both, as statements write them. */
  readonly sql: string;
}

/** The values that a column of an existing table has to hold. */
export interface WantedColumn {
  readonly type: ColumnType;
  /** Of a decimal. */
  readonly decimal?: DecimalSize;
  /** How ids are stored, of the key and of references. */
  readonly key?: EntityKey['type'];
}

/** A table or view as the database has it. */
export interface DescribedTable {
  readonly isView: boolean;
  readonly columns: ReadonlyMap<string, DescribedColumn>;
  readonly keys: readonly DescribedKey[];
  /** The names of the indexes that can be used. */
  readonly indexes: ReadonlySet<string>;
}

/** Columns whose values no two rows have together. */
interface DescribedKey {
  /** The name by which the engine reports it. */
  readonly name: string;
  readonly isPrimary: boolean;
  readonly columns: readonly string[];
}

/** A column as the database has it. */
export interface DescribedColumn {
  /** In lower case, without a length or a collation. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
  /** Whether no value can be written to it, because the database computes it. */
  readonly isComputed: boolean;
  /** How many digits of a second a moment has. */
  readonly precision?: number;
  /** Whether it is of an enumeration. */
  readonly isEnum?: boolean;
  /** Whether its texts are sorted by code points. */
  readonly isBinary?: boolean;
  /** Whether different texts may be equal. */
  readonly isLoose?: boolean;
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
  /** How the new column copies the old one instead, which does not follow it. */
  readonly copy: CopiedColumn | null;
}

/** How a column takes the values of another one in rows that versions write which do not know it. */
interface CopiedColumn {
  /** Converts a cell of the other one. */
  readonly toCell: (cell: string) => string;
  /** The condition on a new row that its writer does not know the column. */
  readonly isMissing: string;
  /** Whether it also follows changes of the other one, unless it is changed itself. */
  readonly isFollowed: boolean;
}

/** Which rows to select for each text of a list. All parts are SQL. */
interface SelectEach {
  /** The columns to select of each row. */
  readonly selection: string;
  readonly table: string;
  /** The column of its ids. */
  readonly id: string;
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
