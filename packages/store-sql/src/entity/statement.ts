import type { EntityListing, EntityRecord, SortKey } from '@x/store';
import type { Where, WhereValue } from '@x/store/where';

import type { Parameters } from '../parameters.ts';
import type { SqlDialect, SqlScope, SqlValue } from '../sql-driver.ts';
import { assertComparable, compileWhere } from '../where/compile-where.ts';
import { type SqlTable, type SqlTableColumn, toEntityRecord } from './sql-table.ts';

/** A statement that is being built. */
export interface Statement {
  readonly table: SqlTable;
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

/** Builds the statement of a list. */
export function listStatement(statement: Statement, listing: EntityListing, checksPerRow = false): BuiltStatement {
  const { table, parameters } = statement;
  return finish(
    statement,
    `SELECT ${table.selection} FROM ${table.sql} WHERE ${toListCondition(statement, listing, checksPerRow)} ` +
      `ORDER BY ${compileOrder(table, listing.order)} LIMIT ${parameters.bind(listing.limit)}`,
  );
}

/** Compiles the condition of a list: its filter, and the position that it continues from. */
export function toListCondition(
  statement: Statement,
  { where, order, after }: EntityListing,
  checksPerRow = false,
): string {
  const conditions = [
    ...(after === null ? [] : [compileAfter(statement.table, order, after, statement.parameters.bind)]),
    toCondition(statement, where, checksPerRow),
  ];
  return conditions.join(' AND ');
}

/**
 * Compiles a condition.
 *
 * @param checksPerRow - whether granted resources are checked row by row, which is better if only few rows are
 */
export function toCondition({ table, dialect, parameters }: Statement, where: Where, checksPerRow = false): string {
  return compileWhere(where, { columns: table.columns, dialect, bind: parameters.bind, checksPerRow });
}

/** Runs a statement that reads, and returns its rows. */
export async function readRows(
  sql: SqlScope,
  { table, text, values }: BuiltStatement,
): Promise<readonly EntityRecord[]> {
  return (await sql.read(text, values)).map((row) => toEntityRecord(table, row));
}

/** Compiles an order for `ORDER BY`. Only nullable columns say where nulls go. */
export function compileOrder(table: SqlTable, order: readonly SortKey[]): string {
  const keys = order.map(({ column, direction }) => {
    const { sql, nullable } = findSortColumn(table, column);
    const nulls = direction === 'asc' ? ' NULLS LAST' : ' NULLS FIRST';
    return `${sql} ${direction === 'asc' ? 'ASC' : 'DESC'}${nullable ? nulls : ''}`;
  });
  return keys.join(', ');
}

/**
 * Compiles the condition that a row comes after a sort key.
 *
 * If no column is nullable and all have one direction, it is a comparison of row values, for which engines use an
 * index. Otherwise a row comes after the key if it does by some column and is equal in all columns before it.
 */
function compileAfter(
  table: SqlTable,
  order: readonly SortKey[],
  key: readonly (WhereValue | null)[],
  bind: (value: SqlValue) => string,
): string {
  const parts = order.map(({ column, direction }, index): KeyPart => {
    const found = findSortColumn(table, column);
    const value = key[index] ?? null;
    if (value !== null) assertComparable(found, value);
    return { column: found, direction, value: value === null ? null : bind(value) };
  });
  const [first] = parts;
  if (!first || key.length !== order.length) throw new TypeError('The sort key is not one of the order.');
  const isUniform = parts.every(({ column, direction }) => !column.nullable && direction === first.direction);
  if (isUniform) return compareRowValues(parts, first.direction);
  const branches = parts.map((part, index) => [...parts.slice(0, index).map(isEqual), isAfter(part)].join(' AND '));
  return `(${branches.map((branch) => `(${branch})`).join(' OR ')})`;
}

interface KeyPart {
  readonly column: SqlTableColumn;
  readonly direction: 'asc' | 'desc';
  /** The placeholder of the value; null if the value is null. */
  readonly value: string | null;
}

function compareRowValues(parts: readonly KeyPart[], direction: 'asc' | 'desc'): string {
  const columns = parts.map(({ column }) => column.sql).join(', ');
  const values = parts.map(({ value }) => value).join(', ');
  return `((${columns}) ${direction === 'asc' ? '>' : '<'} (${values}))`;
}

function isEqual({ column, value }: KeyPart): string {
  return value === null ? `${column.sql} IS NULL` : `${column.sql} = ${value}`;
}

/** Nulls come last ascending and first descending. */
function isAfter({ column, direction, value }: KeyPart): string {
  if (direction === 'desc') return value === null ? `${column.sql} IS NOT NULL` : `${column.sql} < ${value}`;
  if (value === null) return 'FALSE';
  return column.nullable ? `(${column.sql} > ${value} OR ${column.sql} IS NULL)` : `${column.sql} > ${value}`;
}

function findSortColumn({ entity, columns }: SqlTable, name: string): SqlTableColumn {
  const column = columns.get(name);
  if (column && column.type !== 'json') return column;
  throw new TypeError(`Rows of ${entity.name} can't be ordered by ${name}.`);
}
