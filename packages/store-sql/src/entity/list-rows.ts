import type { EntityListing, EntityPage, GrantedResources, SortKey } from '@x/store';
import { and, type Where, type WhereValue } from '@x/store/where';

import { toGrantedStepsQuery } from '../access/granted-resources.ts';
import type { SqlScope } from '../sql-driver.ts';
import { compileWhere, toComparable } from '../where/compile-where.ts';
import {
  type BuiltQuery,
  finish,
  queryRows,
  type SqlTable,
  type SqlTableColumn,
  type Statement,
  toGuardedCondition,
} from './sql-table.ts';

/** The thresholds for how many resources a user may have roles on for a list to start from those. */
const [fewGranted, manyGranted] = [400, 5000];

/** How many rows are checked one by one for a user who has roles on more than that. */
const scans = [5000, 50_000];

/** How many rows are checked one by one before it is known how many a user has roles on. */
const shortScan = 400;

/**
 * Lists rows. Granted resources can be found in two ways, of which the cheaper one is determined first:
 *
 * - walking down from the user's roles costs as much as there is below them: good for users with few resources
 * - walking up from each row, in list order, costs as much as rows are passed over: good for users with most of the table
 *
 * Either way, each page comes from one statement with the whole condition.
 */
export async function listRows(sql: SqlScope, start: () => Statement, listing: EntityListing): Promise<EntityPage> {
  const page = await listOneMore(sql, start, { ...listing, limit: listing.limit + 1 });
  const { records, hasMore } = page;
  return records.length > listing.limit ? { records: records.slice(0, -1), hasMore: true } : { records, hasMore };
}

/** One row more than the page has tells whether the list continues. */
async function listOneMore(sql: SqlScope, start: () => Statement, listing: EntityListing): Promise<EntityPage> {
  const { granted, rest } = splitByGranted(listing.where);
  const walkDown = (): Promise<EntityPage> => queryRows(sql, listStatement(start(), listing));
  const walkUp = (): Promise<EntityPage> => queryRows(sql, listStatement(start(), listing, true));
  if (granted.length === 0) return walkDown();
  if (isByIds(rest)) return walkUp();
  const [only] = granted;
  const countable = granted.length === 1 && only?.type === 'granted' ? only.resources : undefined;
  if (countable && (await hasAtMost(sql, start(), { listing, resources: countable, most: fewGranted })))
    return walkDown();
  const scan = { sql, start, listing, granted, rest };
  const found = (await scanRows(scan, 2 * listing.limit)) ?? (await scanShort(scan));
  if (found) return found;
  if (!countable || (await hasAtMost(sql, start(), { listing, resources: countable, most: manyGranted })))
    return walkDown();
  for (const size of scans) {
    const further = await scanRows(scan, size);
    if (further) return further;
  }
  return walkUp();
}

/** Splits a condition into the parts about granted resources and the rest. */
function splitByGranted(where: Where): { readonly granted: readonly Where[]; readonly rest: readonly Where[] } {
  const operands = where.type === 'and' ? where.operands : [where];
  return { granted: operands.filter(containsGranted), rest: operands.filter((operand) => !containsGranted(operand)) };
}

function containsGranted(where: Where): boolean {
  switch (where.type) {
    case 'granted':
      return true;
    case 'and':
    case 'or':
      return where.operands.some(containsGranted);
    case 'not':
      return containsGranted(where.operand);
    case 'constant':
    case 'compare':
    case 'in':
    case 'text':
    case 'caseless':
    // The rows of the list need not be checked for it.
    case 'related':
    case 'isNull':
      return false;
  }
}

/** Says whether the rows are listed by their ids, so that there are few. */
function isByIds(rest: readonly Where[]): boolean {
  return rest.some((where) => where.type === 'in' && where.column === 'id');
}

/** Says whether walking down takes at most so many steps. */
async function hasAtMost(
  sql: SqlScope,
  { dialect, parameters: { bind, values } }: Statement,
  { listing, resources, most }: Pick<Scan, 'listing'> & { readonly resources: GrantedResources; readonly most: number },
): Promise<boolean> {
  const text = toGrantedStepsQuery(resources, most, dialect, bind);
  const { rows } = await sql.query(text, values, { ...listing.bounds, comparisons: null, maxRows: 1 });
  return Number(rows[0]?.['count']) <= most;
}

/** A list whose rows are checked one by one. */
interface Scan {
  readonly sql: SqlScope;
  readonly start: () => Statement;
  readonly listing: EntityListing;
  /** The parts of its condition about granted resources, and the others. */
  readonly granted: readonly Where[];
  readonly rest: readonly Where[];
}

/** Walks up from the first rows of the list; null if a page may continue beyond them. */
async function scanRows({ sql, start, listing, granted, rest }: Scan, size: number): Promise<EntityPage | null> {
  const page = await queryRows(sql, scanStatement(start(), { listing, granted, rest, size }));
  return page.hasMore || page.records.length >= listing.limit ? page : null;
}

/** Walks up from a few more rows, or from all of them if there are no more than that. */
async function scanShort(scan: Scan): Promise<EntityPage | null> {
  const { sql, start, listing, rest } = scan;
  const statement = start();
  const condition = toListCondition(statement, { ...listing, where: and(...rest) });
  const { bind, values } = statement.parameters;
  const { rows } = await sql.query(
    `SELECT COUNT(*) AS count FROM (SELECT 1 FROM ${statement.table.sql} WHERE ${condition} LIMIT ${bind(shortScan)}) AS rows_`,
    values,
    { ...listing.bounds, comparisons: null, maxRows: 1 },
  );
  return Number(rows[0]?.['count']) < shortScan
    ? queryRows(sql, listStatement(start(), listing, true))
    : scanRows(scan, shortScan);
}

function scanStatement(
  statement: Statement,
  { listing, granted, rest, size }: Pick<Scan, 'listing' | 'granted' | 'rest'> & { readonly size: number },
): BuiltQuery {
  const { dialect, parameters, table, findTable } = statement;
  const where = and(...rest);
  const scanned = listStatement(statement, { ...listing, where, limit: Math.max(size, listing.limit) });
  const shown = asShown(table);
  const condition = compileWhere(and(...granted), {
    columns: shown.columns,
    findTable,
    dialect,
    bind: parameters.bind,
    checksPerRow: true,
  });
  const text =
    `SELECT * FROM (${scanned.text}) AS scanned_ WHERE ${dialect.rowGuard()}${condition} ` +
    `ORDER BY ${compileOrder(shown, listing.order)} LIMIT ${parameters.bind(listing.limit)}`;
  return { ...finish(statement, text), options: { ...listing.bounds, comparisons: null, maxRows: listing.limit } };
}

/** Returns the columns under the names that a selection gives them. */
export function asShown(table: SqlTable): SqlTable {
  const columns = [...table.columns].map(([name, column]) => [name, { ...column, sql: `"${name}"` }] as const);
  return { ...table, columns: new Map(columns) };
}

/** Builds the statement of a list. */
function listStatement(statement: Statement, listing: EntityListing, checksPerRow = false): BuiltQuery {
  const { table, parameters } = statement;
  const text =
    `SELECT ${table.selection} FROM ${table.sql} WHERE ${toListCondition(statement, listing, checksPerRow)} ` +
    `ORDER BY ${compileOrder(table, listing.order)} LIMIT ${parameters.bind(listing.limit)}`;
  const comparisons = countComparisons(table, listing);
  return { ...finish(statement, text), options: { ...listing.bounds, comparisons, maxRows: listing.limit } };
}

/** Compiles the condition of a list: its filter, and the position that it continues from. */
function toListCondition(statement: Statement, { where, order, after }: EntityListing, checksPerRow = false): string {
  const conditions = [
    toGuardedCondition(statement, where, checksPerRow),
    ...(after === null ? [] : [compileAfter(statement, order, after)]),
  ];
  return conditions.join(' AND ');
}

/** Counts the parameters of the comparisons that the condition consists of; null if it consists of anything else. */
function countComparisons(table: SqlTable, { where, order, after }: EntityListing): number | null {
  const operands = where.type === 'and' ? where.operands : where.type === 'constant' ? [] : [where];
  const areComparisons = operands.every(
    (each) => each.type === 'compare' && each.operator !== 'ne' && typeof each.value !== 'object',
  );
  if (!areComparisons || (after !== null && !isUniform(table, order))) return null;
  return operands.length + (after?.length ?? 0);
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
export function compileAfter(
  { table, dialect, parameters }: Statement,
  order: readonly SortKey[],
  key: readonly (WhereValue | null)[],
): string {
  const parts = order.map(({ column, direction }, index): KeyPart => {
    const found = findSortColumn(table, column);
    const value = key[index] ?? null;
    const bound = value === null ? null : parameters.bind(toComparable(found, value, dialect));
    return { column: found, direction, value: bound };
  });
  const [first] = parts;
  if (!first || key.length !== order.length) throw new TypeError('The sort key is not one of the order.');
  if (isUniform(table, order)) return compareRowValues(parts, first.direction);
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

export function findSortColumn({ entity, columns }: SqlTable, name: string): SqlTableColumn {
  const column = columns.get(name);
  if (column && column.type !== 'json') return column;
  throw new TypeError(`Rows of ${entity.name} can't be ordered by ${name}.`);
}
