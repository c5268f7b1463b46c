import type { EntityListing, EntityRecord, HeldResources, Where } from '@x/store';

import { toHeldStepsQuery } from '../held-query.ts';
import type { SqlScope } from '../sql-driver.ts';
import { compileWhere } from '../where/compile-where.ts';
import { Parameters } from '../where/parameters.ts';
import { compileOrder } from './compile-order.ts';
import { read } from './read-rows.ts';
import type { SqlTable } from './sql-table.ts';
import { build, type BuiltStatement, list, type Statement, toListCondition } from './statement.ts';

/** How many resources a user may hold for a list to start from those. */
const [fewHeld, manyHeld] = [400, 5000];

/** How many rows are looked at one by one, where a user holds more than many. */
const scans = [5000, 50_000];

/** How many rows are looked at one by one before it is known how much a user holds. */
const shortScan = 400;

/**
 * Lists rows. Which resources a user holds can be asked in two ways: by walking down from their roles, which costs as much
 * as they hold, and by walking up from each row in the order of the list, which costs as many rows as are passed over. Neither
 * is good for everybody, so it is found out which is cheap: whoever holds little is served by the first, whoever holds most
 * of the table by the second. Whichever it is, each page comes of one statement that carries the whole condition.
 */
export async function listRows(
  sql: SqlScope,
  start: () => Statement,
  listing: EntityListing,
): Promise<readonly EntityRecord[]> {
  const { held, rest } = split(listing.where);
  if (held.length === 0) return read(sql, list(start(), listing));
  if (isAboutFew(rest)) return read(sql, list(start(), listing, true));
  const [only] = held;
  const roots = held.length === 1 && only?.type === 'held' ? only.resources : undefined;
  if (roots && (await holdsAtMost(sql, roots, fewHeld))) return read(sql, list(start(), listing));
  const scan = { sql, start, listing, held, rest };
  const found = (await scanRows(scan, 2 * listing.limit)) ?? (await scanShort(scan));
  if (found) return found;
  if (!roots || (await holdsAtMost(sql, roots, manyHeld))) return read(sql, list(start(), listing));
  for (const size of scans) {
    const further = await scanRows(scan, size);
    if (further) return further;
  }
  return read(sql, list(start(), listing, true));
}

/** Splits a condition into what asks which resources are held, and what is to hold besides. */
function split(where: Where): { readonly held: readonly Where[]; readonly rest: readonly Where[] } {
  const operands = where.type === 'and' ? where.operands : [where];
  return { held: operands.filter(asksForHeld), rest: operands.filter((operand) => !asksForHeld(operand)) };
}

function asksForHeld(where: Where): boolean {
  switch (where.type) {
    case 'held':
      return true;
    case 'and':
    case 'or':
      return where.operands.some(asksForHeld);
    case 'not':
      return asksForHeld(where.operand);
    default:
      return false;
  }
}

/** Rows that are named by their ids are few. */
function isAboutFew(rest: readonly Where[]): boolean {
  return rest.some((where) => where.type === 'in' && where.column === 'id');
}

async function holdsAtMost(sql: SqlScope, resources: HeldResources, most: number): Promise<boolean> {
  const { bind, values } = new Parameters();
  const [row] = await sql.read(toHeldStepsQuery(resources, most, bind), values);
  return Number(row?.['count']) <= most;
}

interface Scan {
  readonly sql: SqlScope;
  readonly start: () => Statement;
  readonly listing: EntityListing;
  readonly held: readonly Where[];
  readonly rest: readonly Where[];
}

/** Looks at the first so many rows; null where a page may go on beyond them. */
async function scanRows(
  { sql, start, listing, held, rest }: Scan,
  size: number,
): Promise<readonly EntityRecord[] | null> {
  const rows = await read(sql, scanStatement(start(), { listing, held, rest, size }));
  return rows.length >= listing.limit ? rows : null;
}

/** Looks at a few more rows, or at all of them where there are no more than that. */
async function scanShort(scan: Scan): Promise<readonly EntityRecord[] | null> {
  const { sql, start, listing, rest } = scan;
  const statement = start();
  const condition = toListCondition(statement, { ...listing, where: { type: 'and', operands: rest } });
  const { bind, values } = statement.parameters;
  const [row] = await sql.read(
    `SELECT COUNT(*) AS count FROM (SELECT 1 FROM ${statement.table.sql} WHERE ${condition} LIMIT ${bind(shortScan)}) AS rows_`,
    values,
  );
  return Number(row?.['count']) < shortScan ? read(sql, list(start(), listing, true)) : scanRows(scan, shortScan);
}

function scanStatement(
  statement: Statement,
  { listing, held, rest, size }: Pick<Scan, 'listing' | 'held' | 'rest'> & { readonly size: number },
): BuiltStatement {
  const { dialect, parameters, table } = statement;
  const where: Where = { type: 'and', operands: rest };
  const scanned = list(statement, { ...listing, where, limit: Math.max(size, listing.limit) });
  const shown = asShown(table);
  const condition = compileWhere(
    { type: 'and', operands: held },
    { columns: shown.columns, dialect, bind: parameters.bind, isNarrow: true },
  );
  return build(
    statement,
    `SELECT * FROM (${scanned.text}) AS scanned_ WHERE ${condition} ` +
      `ORDER BY ${compileOrder(shown, listing.order)} LIMIT ${parameters.bind(listing.limit)}`,
  );
}

/** The columns by the names under which a selection shows them. */
function asShown(table: SqlTable): SqlTable {
  const columns = [...table.columns].map(([name, column]) => [name, { ...column, sql: `"${name}"` }] as const);
  return { ...table, columns: new Map(columns) };
}
