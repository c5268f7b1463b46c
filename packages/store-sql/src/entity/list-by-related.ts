import type { EntityListing, EntityPage, EntityValue, Reference, SortKey } from '@x/store';
import { assertSortable } from '@x/store/engine';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import { compileWhere } from '../where/compile-where.ts';
import { asShown, compileAfter, compileOrder, findSortColumn } from './list-rows.ts';
import { type SqlTableColumn, type Statement, toDecoder, toEntityRecord, toGuardedCondition } from './sql-table.ts';

/**
 * Lists rows in an order that leads to rows of other entities. Each of their values is a column of an inner query,
 * which the outer one sorts by and continues from, so that a value is null in both where its row is not readable.
 */
export async function listByRelated(
  sql: SqlExecutor,
  statement: Statement,
  listing: EntityListing,
): Promise<EntityPage> {
  const { table, parameters, findTable } = statement;
  const { where, order, after, limit, bounds } = listing;
  assertSortable(table.entity, order, (other) => findTable(other).entity);
  const parts = order.map((key, index) => toPart(statement, key, `_key${index}`));
  const selected = [table.selection, ...parts.flatMap(({ selection }) => selection)].join(', ');
  const inner = `SELECT ${selected} FROM ${table.sql} WHERE ${toGuardedCondition(statement, where)}`;
  const shown = asShown(table);
  const columns = new Map([...shown.columns, ...parts.map(({ key, column }) => [key.column, column] as const)]);
  const outer = { ...statement, table: { ...shown, columns } };
  const keys = parts.map(({ key }) => key);
  const position = after === null ? '' : `WHERE ${compileAfter(outer, keys, after)} `;
  const text =
    `SELECT * FROM (${inner}) AS keyed_ ${position}` +
    `ORDER BY ${compileOrder(outer.table, keys)} LIMIT ${parameters.bind(limit + 1)}`;
  const options = { ...bounds, mayScan: true, maxRows: limit + 1 };
  const { rows, isCut } = await sql.query(text, parameters.values, options);
  const found = rows.slice(0, limit);
  return {
    records: found.map((row) => toEntityRecord(table, row)),
    keys: found.map((row) => parts.map(({ read }) => read(row))),
    hasMore: isCut || rows.length > limit,
  };
}

/** A part of the order: a column of the inner query, and how its cells are read. */
interface Part {
  readonly key: SortKey;
  readonly column: SqlTableColumn;
  /** The cells that the inner query selects for it beside the columns of the row. */
  readonly selection: readonly string[];
  readonly read: (row: SqlRow) => EntityValue;
}

function toPart(statement: Statement, { column: name, direction, through }: SortKey, label: string): Part {
  const { table, findTable, dialect } = statement;
  const declared = findSortColumn(through ? findTable(through.entity) : table, name);
  const shownAs = through ? label : name;
  const decode = toDecoder(declared, dialect);
  return {
    key: { column: shownAs, direction },
    column: { ...declared, sql: `"${shownAs}"`, nullable: declared.nullable || through !== undefined },
    selection: through ? [`${selectRelated(statement, declared, through)} AS "${label}"`] : [],
    read(row) {
      const cell = row[shownAs];
      return cell === null || cell === undefined ? null : decode(cell);
    },
  };
}

/** Writes the value of a column of the row that a reference leads to; null if there is none that is readable. */
function selectRelated(
  { table, findTable, dialect, parameters }: Statement,
  { sql }: SqlTableColumn,
  { column, entity, readable }: Reference,
): string {
  const other = findTable(entity);
  const reference = `${table.sql}.${findSortColumn(table, column).sql}`;
  const condition = compileWhere(readable, { columns: other.columns, findTable, dialect, bind: parameters.bind });
  return `(SELECT sort_.${sql} FROM ${other.sql} AS sort_ WHERE sort_."id" = ${reference} AND ${condition})`;
}
