import type { ColumnType } from '@x/store';
import type { DescribedColumn, DescribedTable, ExistingName, SqlDialect } from '../sql-dialect.ts';
import type { SqlRow } from '../sql-executor.ts';

/** How an engine tells what a declaration of an existing table has to say beside its description. */
export interface TableInspector {
  readonly dialect: Pick<SqlDialect, 'catalog' | 'existing'>;

  /**
   * Selects `name`, `type` and `default_value` of each column, `identity` of the table, and what {@link toValues} needs.
   * It binds the values of {@link SqlCatalog.toPlace}.
   *
   * @see ColumnDetails
   */
  selectDetails(name: ExistingName): string;

  /** Selects each foreign key of one column as a {@link ForeignKey}; `referred_table` is its `table`. */
  readonly references: string;

  /** Returns the only texts that a column may have, by its details; null if it may have any. */
  toValues(details: SqlRow): readonly string[] | null;

  /** Returns the type of field that holds what people keep in such a column; null if there is none. */
  toFieldType(column: DescribedColumn): ColumnType | 'uuid' | null;
}

/** What a declaration needs to know of a table. */
export interface TableDetails {
  /** Tells the table from others of its database. */
  readonly identity: string;
  readonly columns: ReadonlyMap<string, ColumnDetails>;
  /** The foreign keys of a single column. */
  readonly references: readonly ForeignKey[];
}

/** What a declaration needs to know of a column. */
export interface ColumnDetails {
  /** As it was declared: `numeric(10,2)`. */
  readonly type: string;
  /** What the database writes into a row that has no value, as SQL. */
  readonly default: string | null;
  /** The only texts that it may have, if an enumeration or a constraint says so. */
  readonly values: readonly string[] | null;
}

/** A foreign key of one column. */
export interface ForeignKey {
  readonly column: string;
  /** The table that it refers to, and its name for people. */
  readonly identity: string;
  readonly table: string;
  /** The column of that table; null for its primary key. */
  readonly referred: string | null;
  readonly onDelete: 'restrict' | 'cascade' | 'setNull';
}

/** A table of which a model is printed. */
export interface InspectedTable extends TableDetails {
  /** As the caller wrote it. */
  readonly name: string;
  readonly described: DescribedTable;
}
