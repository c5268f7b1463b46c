import {
  type ColumnType,
  type EntityColumn,
  type EntityPage,
  type EntityRecord,
  type EntityRow,
  type EntityTable,
  type EntityValue,
  parseIndexPart,
  type QueryBounds,
} from '@x/store';
import { digestRow, uniqueKeys } from '@x/store/engine';
import type { Where } from '@x/store/where';
import type { Parameters } from '../parameters.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { QueryOptions, SqlRow, SqlExecutor, SqlValue } from '../sql-executor.ts';
import { compileWhere, quoteIdentifier, type SqlColumn } from '../where/compile-where.ts';
import { compileIndexCondition } from './index-condition.ts';
import { toColumnName, toIndexName } from './names.ts';

/** The table of an entity, as used in statements. */
export interface SqlTable {
  readonly entity: EntityTable;
  /** The quoted name. */
  readonly sql: string;
  /** Every visible column, by its declared name. */
  readonly columns: ReadonlyMap<string, SqlTableColumn>;
  /** The column of the ids. */
  readonly id: SqlTableColumn;
  /** The quoted name of the column of the version; null if the table has none. */
  readonly version: string | null;
  /** The same columns in the order of the selection: under which label, and how their cells are read. */
  readonly shown: readonly { readonly name: string; readonly label: string; readonly decode: DecodeCell }[];
  /** The text after `SELECT` and `RETURNING`: every column under its label, then the version. */
  readonly selection: string;
  /** Says whether an error means that the database refused a row for its values. */
  readonly isRefusal: (error: unknown) => boolean;
  /** The columns of each unique key, by each name that an engine may report it by. */
  readonly uniqueKeys: ReadonlyMap<string, readonly string[]>;
}

/** A column of an entity's table. */
export interface SqlTableColumn extends SqlColumn {
  /** The quoted identifier. */
  readonly name: string;
  readonly nullable: boolean;
}

/** Knows the tables of entities in the database. */
export interface TableLayout {
  /** By the names of entities; null until they were looked up. */
  readonly tables: ReadonlyMap<string, SqlTable> | null;

  /** Looks them up. */
  find(sql: SqlExecutor): Promise<ReadonlyMap<string, SqlTable>>;
}

/** The column of the version. No declared column has its name. */
export const versionColumn = '"_version"';

/** The names that an entity has in the database. */
export interface TableNames {
  readonly table: string;
  /** Those of the columns, by their declared names. */
  readonly columns: ReadonlyMap<string, string>;
}

/** Builds the names used in the statements of an entity whose table we created. */
export function toSqlTable(
  entity: EntityTable,
  names: TableNames,
  { dialect, toColumn }: { readonly dialect: SqlDialect; readonly toColumn: ToColumn },
): SqlTable {
  const id = { name: '"id"', sql: '"id"', type: 'text', nullable: false } as const;
  const columns = new Map<string, SqlTableColumn>([
    ['id', id],
    ...entity.columns.map((column): [string, SqlTableColumn] => {
      const { type, nullable, decimal } = column;
      const name = quoteIdentifier(names.columns.get(column.name) ?? toColumnName(column.name));
      return [column.name, { name, ...toColumn(column, name), type, nullable, ...(decimal && { decimal }) }];
    }),
  ]);
  return {
    entity,
    sql: quoteIdentifier(names.table),
    columns,
    id,
    version: versionColumn,
    isRefusal: dialect.isRefusal,
    ...toSelection(columns, { version: versionColumn, dialect, toLabel: (name) => name }),
    uniqueKeys: new Map([...toPartialKeys(entity, names, columns, dialect), ...toUniqueKeys(entity, names)]),
  };
}

/** Says how a column with a quoted name is used. */
type ToColumn = (column: EntityColumn, name: string) => Pick<SqlTableColumn, 'sql' | 'form'>;

/** How the columns of a table are selected. */
interface SelectionOptions extends Pick<SqlTable, 'version'> {
  readonly dialect: SqlDialect;
  /** Returns the label of a column, by its declared name. */
  readonly toLabel: (name: string) => string;
}

/** Builds the selection of a table, and how its cells are read. */
export function toSelection(
  columns: SqlTable['columns'],
  { version, dialect, toLabel }: SelectionOptions,
): Pick<SqlTable, 'shown' | 'selection'> {
  const selected = [...columns].map(([name, column]) => `${toShown(column)} AS ${quoteIdentifier(toLabel(name))}`);
  return {
    shown: [...columns].map(([name, column]) => ({ name, label: toLabel(name), decode: toDecoder(column, dialect) })),
    selection: [...selected, ...(version === null ? [] : [`${version} AS ${versionColumn}`])].join(', '),
  };
}

/** Finds a column by its declared name. */
export function findColumn({ entity, columns }: SqlTable, name: string): SqlTableColumn {
  const column = columns.get(name);
  if (!column) throw new TypeError(`${entity.name} has no column ${name}.`);
  return column;
}

/** Writes a column as the value that we read. */
export function toShown({ sql, form }: SqlColumn): string {
  return form?.toShown?.(sql) ?? sql;
}

/** Selects the ids of rows. */
export function selectId({ id }: SqlTable): string {
  return `${toShown(id)} AS "_id"`;
}

/** Reads what {@link selectId} selects. */
export function readId(row: SqlRow): string {
  return row['_id'] as string;
}

/** Postgres reports a key by the name of its index or constraint, SQLite by its columns. */
function toUniqueKeys(entity: EntityTable, { table, columns }: TableNames): ReadonlyMap<string, readonly string[]> {
  const keys = [['id'], ...uniqueKeys(entity)].map((key) => ({
    key,
    stored: key.map((name) => columns.get(name) ?? toColumnName(name)),
  }));
  return new Map([
    [`${table}_pkey`, ['id']],
    ...keys.flatMap(({ key, stored }): [string, readonly string[]][] => [
      [toIndexName(table, stored, true), key],
      [stored.map((column) => `${table}.${column}`).join(', '), key],
    ]),
  ]);
}

/** The same for keys that only some rows have. */
function toPartialKeys(
  { partialIndexes = [] }: EntityTable,
  { table, columns: stored }: TableNames,
  columns: ReadonlyMap<string, SqlColumn>,
  dialect: SqlDialect,
): readonly (readonly [string, readonly string[]])[] {
  return partialIndexes.flatMap(({ columns: parts, where, unique }) => {
    if (!unique) return [];
    const key = parts.map((part) => {
      const { column: name, isDescending } = parseIndexPart(part);
      return { name, column: stored.get(name) ?? toColumnName(name), isDescending };
    });
    const names = key.map(({ name }) => name);
    const sorted = key.map(({ column, isDescending }) => (isDescending ? `${column}:desc` : column));
    return [
      [toIndexName(table, [...sorted, compileIndexCondition(where, columns, dialect)], true), names],
      [key.map(({ column }) => `${table}.${column}`).join(', '), names],
    ];
  });
}

/** A statement that is being built. */
export interface Statement {
  readonly table: SqlTable;
  /** Finds the table of any entity. */
  readonly findTable: (entity: string) => SqlTable;
  readonly dialect: SqlDialect;
  readonly parameters: Parameters;
}

/** A statement that returns rows of a table's selection. */
export interface BuiltStatement {
  readonly table: SqlTable;
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Finishes a statement. */
export function finish({ table, parameters }: Statement, text: string): BuiltStatement {
  return { table, text, values: parameters.values };
}

/** How a condition is checked. */
export interface ConditionChecks {
  /** Whether granted resources are checked row by row, which is better if only few rows are. */
  readonly checksPerRow?: boolean;
}

/** Compiles a condition; by default, for few rows. */
export function toCondition(statement: Statement, where: Where, { checksPerRow = true }: ConditionChecks = {}): string {
  const { table, findTable, dialect, parameters } = statement;
  return compileWhere(where, { columns: table.columns, findTable, dialect, bind: parameters.bind, checksPerRow });
}

/** Compiles the condition of a query, which the engine checks for each row that it visits; by default, for many. */
export function toGuardedCondition(
  statement: Statement,
  where: Where,
  { checksPerRow = false }: ConditionChecks = {},
): string {
  return `${statement.dialect.rowGuard()}${toCondition(statement, where, { checksPerRow })}`;
}

/** A statement that callers' queries lead to, with what the engine has to know of it. */
export interface BuiltQuery extends BuiltStatement {
  readonly options: QueryOptions;
}

/** Returns the bounds of a query on a table, by the labels of its selection. */
export function toLabelled({ shown }: SqlTable, { uncounted, ...bounds }: QueryBounds = {}): QueryBounds {
  if (!uncounted) return bounds;
  const labels = shown.filter(({ name }) => uncounted.has(name)).map(({ label }) => label);
  return { ...bounds, uncounted: new Set(labels) };
}

/** Runs a query, and returns its rows. */
export async function queryRows(sql: SqlExecutor, { table, text, values, options }: BuiltQuery): Promise<EntityPage> {
  const { rows, isCut } = await sql.query(text, values, options);
  return { records: rows.map((row) => toEntityRecord(table, row)), hasMore: isCut };
}

/** Converts a row of a table's selection to the record. */
export function toEntityRecord({ entity, shown, version }: SqlTable, row: SqlRow): EntityRecord {
  // Lists spend their time here, so nothing is allocated per column except its value.
  const cells: Record<string, EntityValue> = {};
  for (const { name, label, decode } of shown) {
    const cell = row[label];
    cells[name] = cell === null || cell === undefined ? null : decode(cell);
  }
  const read = cells as EntityRow;
  return { row: read, version: version === null ? digestRow(entity, read) : Number(row['_version']) };
}

/** Converts a validated value of a column to the value to bind. */
export function toSqlValue({ type }: Pick<SqlColumn, 'type'>, value: EntityValue, dialect: SqlDialect): SqlValue {
  if (value === null) return null;
  if (value instanceof Date) return value.getTime();
  if (type === 'json') return JSON.stringify(value);
  return type === 'decimal' ? dialect.encodeDecimal(value as string) : (value as SqlValue);
}

type DecodeCell = (cell: unknown) => EntityValue;

/** Returns the function that reads a cell by its label. */
export function toReader(label: string, decode: DecodeCell): (row: SqlRow) => EntityValue {
  return (row) => {
    const cell = row[label];
    return cell === null || cell === undefined ? null : decode(cell);
  };
}

/** Returns the function that reads the cells of a column, unless they are null. */
export function toDecoder({ type, decimal }: Pick<SqlColumn, 'type' | 'decimal'>, dialect: SqlDialect): DecodeCell {
  return decimal ? (cell) => dialect.decodeDecimal(cell, decimal) : decoders[type];
}

const decoders: Readonly<Record<ColumnType, DecodeCell>> = {
  text: (cell) => cell as string,
  integer: Number,
  number: Number,
  decimal: String,
  boolean: Boolean,
  timestamp: (cell) => new Date(Number(cell)),
  date: (cell) => cell as string,
  json: (cell) => JSON.parse(cell as string) as EntityValue,
};
