import { type EntityCondition, type EntityRecord, storeConflict } from '@x/store';
import type { Where } from '@x/store/where';
import { DuplicateKeyError, ForeignKeyError } from '../errors.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import {
  type BuiltStatement,
  type SqlTable,
  type Statement,
  toCondition,
  toEntityRecord,
  versionColumn,
} from './sql-table.ts';

/** Compiles the condition that a row has an id, and satisfies what else is asked of it. */
export function toRowCondition(statement: Statement, id: string, { where, version }: EntityCondition): string {
  const { bind } = statement.parameters;
  const isVersion = version === undefined ? [] : [`${versionColumn} = ${bind(version)}`];
  return [`"id" = ${bind(id)}`, ...isVersion, toCondition(statement, where, { checksPerRow: true })].join(' AND ');
}

/**
 * Selects the ids of rows, or of the first of them, which it locks in the same order as `lock` does; otherwise two
 * transactions could deadlock.
 */
export function lockedStatement(statement: Statement, where: Where, limit?: number): string {
  const { table, dialect, parameters } = statement;
  const condition = toCondition(statement, where, { checksPerRow: true });
  const limited = limit === undefined ? '' : `LIMIT ${parameters.bind(limit)}`;
  return `SELECT "id" FROM ${table.sql} WHERE ${condition} ORDER BY "id" ${limited} ${dialect.lockRow}`;
}

/** Runs a statement that writes one row, and returns the row; null if none was written. */
export async function write(sql: SqlExecutor, statement: BuiltStatement): Promise<EntityRecord | null> {
  return toFirst(statement.table, await attempt(sql, statement));
}

/** Runs a statement that may conflict with existing rows, and returns rows. */
export function attempt(sql: SqlExecutor, { table, text, values }: BuiltStatement): Promise<readonly SqlRow[]> {
  return orConflict(table, () => sql.attempt(text, values));
}

/** Runs a change that may conflict with existing rows. */
export async function orConflict<T>({ uniqueKeys }: SqlTable, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof DuplicateKeyError) throw storeConflict({ columns: uniqueKeys.get(cause.key) ?? [], cause });
    if (cause instanceof ForeignKeyError) throw storeConflict({ cause });
    throw cause;
  }
}

/** Converts the only row that a statement returned, if there is one. */
export function toFirst(table: SqlTable, [row]: readonly SqlRow[]): EntityRecord | null {
  return row ? toEntityRecord(table, row) : null;
}
