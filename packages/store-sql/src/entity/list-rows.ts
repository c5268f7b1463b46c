import type { EntityListing, EntityPage, SortKey } from '@x/store';
import { findGranted, type Where, type WhereValue } from '@x/store/where';
import { toGrantedStepsQuery } from '../access/granted-resources.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import { asCompared, toComparable } from '../where/compile-where.ts';
import {
  type BuiltQuery,
  type ConditionChecks,
  finish,
  queryRows,
  type SqlTable,
  type SqlTableColumn,
  type Statement,
  toGuardedCondition,
  toLabelled,
} from './sql-table.ts';

/**
 * How many steps down from the roles of a user are cheaper than checks of rows: a step takes 1 to 2 µs, a check 6 to
 * 20, and the fewer resources the user has, the more rows are checked for each that is shown.
 */
const maxStepsDown = 5000;

/**
 * Lists rows, each page by one statement with the whole condition. Granted resources are found in one of two ways:
 *
 * - walking down from the user's roles, which costs as much as there is below them
 * - walking up from each row, in list order, which costs as much as rows are passed over
 */
export async function listRows(sql: SqlExecutor, start: () => Statement, listing: EntityListing): Promise<EntityPage> {
  // One row more than the page has tells whether the list continues.
  const longer = { ...listing, limit: listing.limit + 1 };
  const checksPerRow = await isCheaperPerRow(sql, start, listing);
  const { records, hasMore } = await queryRows(sql, listStatement(start(), longer, { checksPerRow }));
  return records.length > listing.limit ? { records: records.slice(0, -1), hasMore: true } : { records, hasMore };
}

/** Says whether granted resources are found by walking up from the rows: those of few ids, or if there are many. */
async function isCheaperPerRow(sql: SqlExecutor, start: () => Statement, listing: EntityListing): Promise<boolean> {
  const granted = findGranted(listing.where);
  if (granted.length > 0 && isByIds(listing.where)) return true;
  for (const { resources } of granted) {
    const { dialect, parameters } = start();
    const text = toGrantedStepsQuery(resources, maxStepsDown, dialect, parameters.bind);
    const { rows } = await sql.query(text, parameters.values, { ...listing.bounds, mayScan: true, maxRows: 1 });
    if (Number(rows[0]?.['count']) > maxStepsDown) return true;
  }
  return false;
}

/** Says whether the rows are listed by their ids, so that there are few. */
function isByIds(where: Where): boolean {
  const operands = where.type === 'and' ? where.operands : [where];
  return operands.some((operand) => operand.type === 'in' && operand.column === 'id');
}

/** Builds the statement of a list: its condition is the filter, and the position that it continues from. */
function listStatement(statement: Statement, listing: EntityListing, checks: ConditionChecks): BuiltQuery {
  const { table, parameters } = statement;
  const { where, order, after, limit } = listing;
  const conditions = [
    toGuardedCondition(statement, where, checks),
    ...(after === null ? [] : [compileAfter(statement, order, after)]),
  ];
  const text =
    `SELECT ${table.selection} FROM ${table.sql} WHERE ${conditions.join(' AND ')} ` +
    `ORDER BY ${compileOrder(table, order)} LIMIT ${parameters.bind(limit)}`;
  const mayScan = !isIndexable(table, listing);
  return { ...finish(statement, text), options: { ...toLabelled(table, listing.bounds), mayScan, maxRows: limit } };
}

/** Says whether an index could answer the whole condition. */
function isIndexable(table: SqlTable, { where, order, after }: EntityListing): boolean {
  const operands = where.type === 'and' ? where.operands : where.type === 'constant' ? [] : [where];
  const areComparisons = operands.every(
    (each) => each.type === 'compare' && each.operator !== 'ne' && typeof each.value !== 'object',
  );
  return areComparisons && (after === null || isUniform(table, order));
}

/** Compiles an order for `ORDER BY`. Only nullable columns say where nulls go. */
export function compileOrder(table: SqlTable, order: readonly SortKey[]): string {
  const keys = order.map(({ column, direction }) => {
    const found = findSortColumn(table, column);
    const nulls = direction === 'asc' ? ' NULLS LAST' : ' NULLS FIRST';
    return `${asSorted(found)} ${direction === 'asc' ? 'ASC' : 'DESC'}${found.nullable ? nulls : ''}`;
  });
  return keys.join(', ');
}

/**
 * Compiles the condition that a row comes after a sort key.
 *
 * If no column is nullable and all have one direction, it is a comparison of row values, for which engines use an
 * index. Otherwise a row comes after the key if it does by some column and is equal in all columns before it.
 */
export function compileAfter(
  { table, dialect, parameters }: Statement,
  order: readonly SortKey[],
  key: readonly (WhereValue | null)[],
): string {
  const parts = order.map(({ column, direction }, index): KeyPart => {
    const found = findSortColumn(table, column);
    const value = key[index] ?? null;
    const bound = value === null ? null : asCompared(found, parameters.bind(toComparable(found, value, dialect)));
    return { column: found, direction, value: bound };
  });
  const [first] = parts;
  if (!first || key.length !== order.length) throw new TypeError('The sort key is not one of the order.');
  if (isUniform(table, order) && !key.includes(null)) return compareRowValues(parts, first.direction);
  const branches = parts.map((part, index) => [...parts.slice(0, index).map(isEqual), isAfter(part)].join(' AND '));
  return `(${branches.map((branch) => `(${branch})`).join(' OR ')})`;
}

/** Says whether no column is nullable and all have one direction. */
function isUniform(table: SqlTable, order: readonly SortKey[]): boolean {
  return order.every(
    ({ column, direction }) => !findSortColumn(table, column).nullable && direction === order[0]?.direction,
  );
}

interface KeyPart {
  readonly column: SqlTableColumn;
  readonly direction: 'asc' | 'desc';
  /** The placeholder of the value; null if the value is null. */
  readonly value: string | null;
}

function compareRowValues(parts: readonly KeyPart[], direction: 'asc' | 'desc'): string {
  const columns = parts.map(({ column }) => asSorted(column)).join(', ');
  const values = parts.map(({ value }) => value).join(', ');
  return `((${columns}) ${direction === 'asc' ? '>' : '<'} (${values}))`;
}

function isEqual({ column, value }: KeyPart): string {
  return value === null ? `${column.sql} IS NULL` : `${column.sql} = ${value}`;
}

/** Nulls come last ascending and first descending. */
function isAfter({ column, direction, value }: KeyPart): string {
  const sql = asSorted(column);
  if (direction === 'desc') return value === null ? `${sql} IS NOT NULL` : `${sql} < ${value}`;
  if (value === null) return 'FALSE';
  return column.nullable ? `(${sql} > ${value} OR ${sql} IS NULL)` : `${sql} > ${value}`;
}

function asSorted({ sql, form }: SqlTableColumn): string {
  return form?.sorted ?? sql;
}

export function findSortColumn({ entity, columns }: SqlTable, name: string): SqlTableColumn {
  const column = columns.get(name);
  if (column && column.type !== 'json') return column;
  throw new TypeError(`Rows of ${entity.name} can't be ordered by ${name}.`);
}
