import { type EntityCondition, type EntityRecord, storeConflict } from '@x/store';
import { rowRefused } from '@x/store/engine';
import type { Where } from '@x/store/where';
import { DuplicateKeyError, ForeignKeyError } from '../errors.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import { asCompared } from '../where/compile-where.ts';
import {
  type BuiltStatement,
  finish,
  type SqlTable,
  type Statement,
  toCondition,
  toEntityRecord,
} from './sql-table.ts';

/** Compiles the condition that a row has an id, and satisfies what else is asked of it. */
export function toRowCondition(statement: Statement, id: string, { where, version }: EntityCondition): string {
  const { bind } = statement.parameters;
  const { table } = statement;
  const isVersion = version === undefined || table.version === null ? [] : [`${table.version} = ${bind(version)}`];
  const isRow = `${table.id.sql} = ${asCompared(table.id, bind(id))}`;
  return [isRow, ...isVersion, toCondition(statement, where)].join(' AND ');
}

/**
 * Selects the ids of rows, or of the first of them, which it locks in the same order as `lock` does; otherwise two
 * transactions could deadlock.
 *
 * @param selection - default: the ids as they are stored
 */
export function lockedStatement(
  statement: Statement,
  where: Where,
  { limit, selection }: { readonly limit?: number; readonly selection?: string } = {},
): string {
  const { table, dialect, parameters } = statement;
  const id = table.id.sql;
  const condition = toCondition(statement, where);
  const limited = limit === undefined ? '' : `LIMIT ${parameters.bind(limit)}`;
  return `SELECT ${selection ?? id} FROM ${table.sql} WHERE ${condition} ORDER BY ${id} ${limited} ${dialect.lockRow}`;
}

/** Compiles the condition that the id of a row is one of a list. */
export function isOneOf({ id }: SqlTable, list: string, dialect: SqlDialect): string {
  return `${id.sql} ${dialect.in(id.form?.listType ?? 'text', list)}`;
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
export async function orConflict<T>({ uniqueKeys, isRefusal }: SqlTable, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof DuplicateKeyError) throw storeConflict({ columns: uniqueKeys.get(cause.key) ?? [], cause });
    if (cause instanceof ForeignKeyError) throw storeConflict({ cause });
    if (isRefusal(cause)) throw rowRefused(cause);
    throw cause;
  }
}

/**
 * Runs the change of a row if it has the version that the condition names: the statement itself compares a column of
 * the version, and without one, the row is locked and its digest compared before.
 */
export function atVersion(
  sql: SqlExecutor,
  {
    start,
    id,
    condition,
  }: { readonly start: () => Statement; readonly id: string; readonly condition: EntityCondition },
  change: (step: SqlExecutor) => Promise<EntityRecord | null>,
): Promise<EntityRecord | null> {
  const { version } = condition;
  const statement = start();
  const { table, dialect } = statement;
  if (version === undefined || table.version !== null) return change(sql);
  return sql.transaction(async (step) => {
    const isRow = toRowCondition(statement, id, condition);
    const text = `SELECT ${table.selection} FROM ${table.sql} WHERE ${isRow} ${dialect.lockRow}`;
    const found = toFirst(table, await step.read(text, finish(statement, text).values));
    return found?.version === version ? change(step) : null;
  });
}

/** Converts the only row that a statement returned, if there is one. */
export function toFirst(table: SqlTable, [row]: readonly SqlRow[]): EntityRecord | null {
  return row ? toEntityRecord(table, row) : null;
}
