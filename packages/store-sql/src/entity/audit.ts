import type { RowChange } from '@x/store/engine';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import { type Reference, referencesTo, type Rows, toKey } from './references.ts';
import { readId, selectId, type SqlTable, type Statement } from './sql-table.ts';

/** Where the rows of a deletion are looked up. */
interface Place {
  readonly sql: SqlExecutor;
  readonly dialect: SqlDialect;
  /** All tables, by the names of their entities. */
  readonly tables: ReadonlyMap<string, SqlTable>;
}

/** Selects the ids of rows that are about to be deleted, and locks them. */
export function selectDeleted({ table, dialect }: Pick<Statement, 'table' | 'dialect'>, condition: string): string {
  return `SELECT ${selectId(table)} FROM ${table.sql} WHERE ${condition} ORDER BY ${table.id.sql} ${dialect.lockDeleted}`;
}

/** Says whether a deletion from a table may change rows that are audited. */
export function reachesAudited(tables: ReadonlyMap<string, SqlTable>, table: SqlTable): boolean {
  const reached = new Set([table]);
  // A set visits what is added to it meanwhile.
  for (const each of reached) {
    if (each.entity.audit) return true;
    for (const reference of referencesTo(tables, each)) reached.add(reference.table);
  }
  return false;
}

/**
 * Lists the audited rows that the deletion of some rows changes, and locks all that it visits, so that no other
 * transaction adds rows that would go with them.
 */
export async function listChangedBy(place: Place, rows: Rows): Promise<readonly RowChange[]> {
  const changes: RowChange[] = [];
  const deleted = new Set<string>();
  const waiting: Rows[] = [rows];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { table } = next;
    const ids = next.ids.filter((id) => !deleted.has(toKey(table, id)));
    for (const id of ids) {
      deleted.add(toKey(table, id));
      if (table.entity.audit) changes.push({ type: 'record.deleted', entity: table.entity.name, id });
    }
    for (const reference of referencesTo(place.tables, table)) {
      if (!reachesAudited(place.tables, reference.table)) continue;
      const found = await lockReferring(place, reference, ids);
      if (reference.onDelete === 'cascade') waiting.push({ table: reference.table, ids: found });
      else if (reference.table.entity.audit) changes.push(...toLosses(reference, found));
    }
  }
  return changes.filter(({ type, entity, id }) => type === 'record.deleted' || !deleted.has(`${entity}:${id}`));
}

/** Builds the changes of rows that lose a reference. */
function toLosses({ table, name }: Reference, ids: readonly string[]): readonly RowChange[] {
  return ids.map((id) => ({ type: 'record.updated', entity: table.entity.name, id, fields: [name] }));
}

/** How many rows the referring ones are looked up for at once. */
const lookedUpAtOnce = 500;

async function lockReferring(
  { sql, dialect }: Place,
  { table, column }: Reference,
  ids: readonly string[],
): Promise<readonly string[]> {
  const text = selectDeleted({ table, dialect }, `${column.sql} ${dialect.in(column.form?.listType ?? 'text', '$1')}`);
  const found: string[] = [];
  for (let at = 0; at < ids.length; at += lookedUpAtOnce) {
    const rows = await sql.read(text, [dialect.toList(ids.slice(at, at + lookedUpAtOnce))]);
    for (const row of rows) found.push(readId(row));
  }
  return found;
}
