import type { EntityListing, EntityRecord, GrantedResources } from '@x/store';
import { and, type Where } from '@x/store/where';

import { toGrantedStepsQuery } from '../access/granted-resources.ts';
import type { SqlScope } from '../sql-driver.ts';
import { compileWhere } from '../where/compile-where.ts';
import { Parameters } from '../parameters.ts';
import {
  finish,
  type BuiltStatement,
  compileOrder,
  listStatement,
  readRows,
  type Statement,
  toListCondition,
} from './statement.ts';
import type { SqlTable } from './sql-table.ts';

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
export async function listRows(
  sql: SqlScope,
  start: () => Statement,
  listing: EntityListing,
): Promise<readonly EntityRecord[]> {
  const { granted, rest } = split(listing.where);
  if (granted.length === 0) return readRows(sql, listStatement(start(), listing));
  if (isAboutFew(rest)) return readRows(sql, listStatement(start(), listing, true));
  const [only] = granted;
  const roots = granted.length === 1 && only?.type === 'granted' ? only.resources : undefined;
  if (roots && (await hasAtMost(sql, roots, fewGranted))) return readRows(sql, listStatement(start(), listing));
  const scan = { sql, start, listing, granted, rest };
  const found = (await scanRows(scan, 2 * listing.limit)) ?? (await scanShort(scan));
  if (found) return found;
  if (!roots || (await hasAtMost(sql, roots, manyGranted))) return readRows(sql, listStatement(start(), listing));
  for (const size of scans) {
    const further = await scanRows(scan, size);
    if (further) return further;
  }
  return readRows(sql, listStatement(start(), listing, true));
}

/** Splits a condition into the parts about granted resources and the rest. */
function split(where: Where): { readonly granted: readonly Where[]; readonly rest: readonly Where[] } {
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
    case 'isNull':
      return false;
  }
}

/** Rows that are named by their ids are few. */
function isAboutFew(rest: readonly Where[]): boolean {
  return rest.some((where) => where.type === 'in' && where.column === 'id');
}

async function hasAtMost(sql: SqlScope, resources: GrantedResources, most: number): Promise<boolean> {
  const { bind, values } = new Parameters();
  const [row] = await sql.read(toGrantedStepsQuery(resources, most, bind), values);
  return Number(row?.['count']) <= most;
}

interface Scan {
  readonly sql: SqlScope;
  readonly start: () => Statement;
  readonly listing: EntityListing;
  readonly granted: readonly Where[];
  readonly rest: readonly Where[];
}

/** Checks the first rows of the list; null if a page may continue beyond them. */
async function scanRows(
  { sql, start, listing, granted, rest }: Scan,
  size: number,
): Promise<readonly EntityRecord[] | null> {
  const rows = await readRows(sql, scanStatement(start(), { listing, granted, rest, size }));
  return rows.length >= listing.limit ? rows : null;
}

/** Checks a few more rows, or all of them if there are no more than that. */
async function scanShort(scan: Scan): Promise<readonly EntityRecord[] | null> {
  const { sql, start, listing, rest } = scan;
  const statement = start();
  const condition = toListCondition(statement, { ...listing, where: and(...rest) });
  const { bind, values } = statement.parameters;
  const [row] = await sql.read(
    `SELECT COUNT(*) AS count FROM (SELECT 1 FROM ${statement.table.sql} WHERE ${condition} LIMIT ${bind(shortScan)}) AS rows_`,
    values,
  );
  return Number(row?.['count']) < shortScan
    ? readRows(sql, listStatement(start(), listing, true))
    : scanRows(scan, shortScan);
}

function scanStatement(
  statement: Statement,
  { listing, granted, rest, size }: Pick<Scan, 'listing' | 'granted' | 'rest'> & { readonly size: number },
): BuiltStatement {
  const { dialect, parameters, table } = statement;
  const where = and(...rest);
  const scanned = listStatement(statement, { ...listing, where, limit: Math.max(size, listing.limit) });
  const shown = asShown(table);
  const condition = compileWhere(and(...granted), {
    columns: shown.columns,
    dialect,
    bind: parameters.bind,
    checksPerRow: true,
  });
  return finish(
    statement,
    `SELECT * FROM (${scanned.text}) AS scanned_ WHERE ${condition} ` +
      `ORDER BY ${compileOrder(shown, listing.order)} LIMIT ${parameters.bind(listing.limit)}`,
  );
}

/** The columns under the names that a selection gives them. */
function asShown(table: SqlTable): SqlTable {
  const columns = [...table.columns].map(([name, column]) => [name, { ...column, sql: `"${name}"` }] as const);
  return { ...table, columns: new Map(columns) };
}
