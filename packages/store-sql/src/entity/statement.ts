import type { EntityListing } from '@x/store';
import type { Where } from '@x/store/where';

import type { SqlDialect, SqlValue } from '../sql-driver.ts';
import { compileWhere } from '../where/compile-where.ts';
import type { Parameters } from '../where/parameters.ts';
import { compileAfter, compileOrder } from './compile-order.ts';
import type { SqlTable } from './sql-table.ts';

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
export function build({ table, parameters }: Statement, text: string): BuiltStatement {
  return { table, text, values: parameters.values };
}

/** Builds the statement of a list. */
export function list(statement: Statement, listing: EntityListing, isNarrow = false): BuiltStatement {
  const { table, parameters } = statement;
  return build(
    statement,
    `SELECT ${table.selection} FROM ${table.sql} WHERE ${toListCondition(statement, listing, isNarrow)} ` +
      `ORDER BY ${compileOrder(table, listing.order)} LIMIT ${parameters.bind(listing.limit)}`,
  );
}

/** Compiles the condition of a list: its filter, and the position that it continues from. */
export function toListCondition(
  statement: Statement,
  { where, order, after }: EntityListing,
  isNarrow = false,
): string {
  const conditions = [
    ...(after === null ? [] : [compileAfter(statement.table, order, after, statement.parameters.bind)]),
    toCondition(statement, where, isNarrow),
  ];
  return conditions.join(' AND ');
}

/**
 * Compiles a condition.
 *
 * @param isNarrow - whether only few rows are checked
 */
export function toCondition({ table, dialect, parameters }: Statement, where: Where, isNarrow = false): string {
  return compileWhere(where, { columns: table.columns, dialect, bind: parameters.bind, isNarrow });
}
