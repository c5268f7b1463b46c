import type { EntityListing, EntityPage, EntityValue, Reference, SortKey } from '@x/store';
import { assertSortable } from '@x/store/engine';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import { asIdOf, compileWhere } from '../where/compile-where.ts';
import { compileAfter, compileOrder, findSortColumn } from './list-rows.ts';
import {
  type SqlTable,
  type SqlTableColumn,
  type Statement,
  toDecoder,
  toEntityRecord,
  toGuardedCondition,
  toLabelled,
  toReader,
  toShown,
} from './sql-table.ts';

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
  const outer = {
    ...statement,
    table: { ...table, columns: new Map(parts.map((part) => [part.key.column, part.column])) },
  };
  const keys = parts.map(({ key }) => key);
  const position = after === null ? '' : `WHERE ${compileAfter(outer, keys, after)} `;
  const text =
    `SELECT * FROM (${inner}) AS keyed_ ${position}` +
    `ORDER BY ${compileOrder(outer.table, keys)} LIMIT ${parameters.bind(limit + 1)}`;
  const options = { ...toLabelled(table, bounds), mayScan: true, maxRows: limit + 1 };
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
  const select = (value: string): string => (through ? selectRelated(statement, value, through) : value);
  const { toCompared } = declared.form ?? {};
  const shownAs = declared.form ? `${label}_shown` : label;
  return {
    key: { column: label, direction },
    column: {
      ...declared,
      sql: `"${label}"`,
      nullable: declared.nullable || through !== undefined,
      form: { ...(toCompared && { toCompared }) },
    },
    selection: [
      `${select(declared.form?.sorted ?? declared.sql)} AS "${label}"`,
      ...(declared.form ? [`${select(toShown(declared))} AS "${shownAs}"`] : []),
    ],
    read: toReader(shownAs, toDecoder(declared, dialect)),
  };
}

/** Writes the value of a column of the row that a reference leads to; null if there is none that is readable. */
function selectRelated(
  { table, findTable, dialect, parameters }: Statement,
  value: string,
  { column, entity, readable }: Reference,
): string {
  const other = findTable(entity);
  const reference = findSortColumn(table, column);
  const outer = asIdOf(other, { ...reference, ...qualify(table, reference) });
  const condition = compileWhere(readable, { columns: other.columns, findTable, dialect, bind: parameters.bind });
  return `(SELECT ${value} FROM ${other.sql} AS sort_ WHERE sort_.${other.id.name} = ${outer} AND ${condition})`;
}

/** Writes a reference so that it is not taken for a column of the row that it leads to. */
function qualify({ sql }: SqlTable, { name, form }: SqlTableColumn): Pick<SqlTableColumn, 'sql' | 'form'> {
  const qualified = `${sql}.${name}`;
  return { sql: qualified, form: { ...form, ...(form?.text !== undefined && { text: `CAST(${qualified} AS TEXT)` }) } };
}
