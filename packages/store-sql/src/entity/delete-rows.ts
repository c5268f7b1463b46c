import { CodedError } from '@x/errors';
import type { EntityCondition, EntityRecord } from '@x/store';
import type { Where } from '@x/store/where';
import type { SqlExecutor } from '../sql-executor.ts';
import { referencesTo, type Rows, toKey } from './references.ts';
import { attempt, atVersion, isOneOf, lockedStatement, orConflict, toRowCondition, write } from './row-statements.ts';
import {
  type BuiltStatement,
  finish,
  readId,
  selectId,
  type SqlTable,
  type SqlTableColumn,
  type Statement,
} from './sql-table.ts';

/** Where rows are deleted. */
interface Deletion {
  readonly sql: SqlExecutor;
  /** All tables, by the names of their entities. */
  readonly tables: ReadonlyMap<string, SqlTable>;
  /** Begins a statement on the table of the rows. */
  readonly start: () => Statement;
}

/**
 * How many rows a statement deletes at most: on Postgres, what takes a tenth of a second of the time that one may take;
 * on SQLite, what keeps the event loop for a few milliseconds.
 */
const [maxDeleted, maxDeletedOnLoop] = [5000, 500];

/** Deletes a row that satisfies a condition, with all that goes with it, and returns it; null if there is none. */
export function deleteRow(deletion: Deletion, id: string, condition: EntityCondition): Promise<EntityRecord | null> {
  const { sql, start } = deletion;
  return atVersion(sql, { start, id, condition }, (step) => deleteCurrent({ ...deletion, sql: step }, id, condition));
}

function deleteCurrent(deletion: Deletion, id: string, condition: EntityCondition): Promise<EntityRecord | null> {
  const { sql, tables, start } = deletion;
  const whole = (executor: SqlExecutor): Promise<EntityRecord | null> =>
    write(executor, deleteStatement(start(), id, condition));
  const { table, dialect } = start();
  if (!dialect.keepsEventLoop || referencesTo(tables, table).length === 0) return whole(sql);
  return inSteps(sql, whole, async (step) => {
    const { text, values } = selectStatement(start(), id, condition);
    if ((await step.read(text, values)).length === 0) return null;
    await deleteReferring({ ...deletion, sql: step }, { table, ids: [id] });
    return whole(step);
  });
}

/** Deletes all rows that satisfy a condition, some at a time, and returns how many; all or none of them. */
export function deleteRows(deletion: Deletion, where: Where): Promise<number> {
  const { sql, start } = deletion;
  const most = start().dialect.keepsEventLoop ? maxDeletedOnLoop : maxDeleted;
  const whole = async (executor: SqlExecutor): Promise<number> =>
    (await attempt(executor, deleteAllStatement(start(), where))).length;
  return inSteps(sql, whole, async (step) => {
    for (let deleted = 0; ;) {
      const count = await deleteSome({ ...deletion, sql: step }, where, most);
      deleted += count;
      if (count < most) return deleted;
    }
  });
}

/**
 * Runs the steps of a deletion. Rows of different steps may refer to each other, so if one cannot be deleted without
 * the others, a single statement deletes all.
 */
async function inSteps<T>(
  sql: SqlExecutor,
  whole: (executor: SqlExecutor) => Promise<T>,
  steps: (step: SqlExecutor) => Promise<T>,
): Promise<T> {
  try {
    return await sql.transaction(steps, { groupCommit: true });
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'CONFLICT') throw error;
    return whole(sql);
  }
}

async function deleteSome(deletion: Deletion, where: Where, most: number): Promise<number> {
  const { sql, start } = deletion;
  const { table, dialect } = start();
  if (!dialect.keepsEventLoop) return (await attempt(sql, deleteAllStatement(start(), where, most))).length;
  const statement = start();
  const taken = lockedStatement(statement, where, { limit: most, selection: selectId(table) });
  const { text, values } = finish(statement, taken);
  const ids = (await sql.read(text, values)).map(readId);
  if (ids.length === 0) return 0;
  await deleteReferring(deletion, { table, ids });
  await runOn(deletion, { table, ids }, `DELETE FROM ${table.sql}`);
  return ids.length;
}

/**
 * Deletes the rows that go with some, or takes their reference from them, a batch at a time: the schema would do it all
 * in the one statement that deletes these. It still does so with rows that refer to each other in a circle.
 *
 * @param open - the keys of the rows whose own are being deleted: one set for all levels, of which there may be many
 */
async function deleteReferring(deletion: Deletion, rows: Rows, open: Set<string> = new Set()): Promise<void> {
  const keys = rows.ids.map((id) => toKey(rows.table, id));
  for (const key of keys) open.add(key);
  for (const { table, column, onDelete } of referencesTo(deletion.tables, rows.table)) {
    for (;;) {
      const found = await selectReferring(deletion, { table, column, ids: rows.ids });
      const ids = found.filter((id) => !open.has(toKey(table, id)));
      if (ids.length === 0) break;
      if (onDelete === 'cascade') {
        await deleteReferring(deletion, { table, ids }, open);
        await runOn(deletion, { table, ids }, `DELETE FROM ${table.sql}`);
      } else await runOn(deletion, { table, ids }, `UPDATE ${table.sql} SET ${column.name} = NULL`);
    }
  }
  for (const key of keys) open.delete(key);
}

async function selectReferring(
  { sql, start }: Deletion,
  { table, column, ids }: Rows & { readonly column: SqlTableColumn },
): Promise<readonly string[]> {
  const { dialect } = start();
  const refers = `${column.sql} ${dialect.in(column.form?.listType ?? 'text', '$1')}`;
  const text = `SELECT ${selectId(table)} FROM ${table.sql} WHERE ${refers} LIMIT ${maxDeletedOnLoop}`;
  return (await sql.read(text, [dialect.toList(ids)])).map(readId);
}

async function runOn({ sql, start }: Deletion, { table, ids }: Rows, change: string): Promise<void> {
  const { dialect } = start();
  const text = `${change} WHERE ${isOneOf(table, '$1', dialect)}`;
  await orConflict(table, () => sql.execute(text, [dialect.toList(ids)]));
}

function selectStatement(statement: Statement, id: string, condition: EntityCondition): BuiltStatement {
  const isWanted = toRowCondition(statement, id, condition);
  return finish(statement, `SELECT 1 FROM ${statement.table.sql} WHERE ${isWanted}`);
}

function deleteStatement(statement: Statement, id: string, condition: EntityCondition): BuiltStatement {
  const { table } = statement;
  const isWanted = toRowCondition(statement, id, condition);
  return finish(statement, `DELETE FROM ${table.sql} WHERE ${isWanted} RETURNING ${table.selection}`);
}

function deleteAllStatement(statement: Statement, where: Where, limit?: number): BuiltStatement {
  const { table } = statement;
  const taken = lockedStatement(statement, where, limit === undefined ? {} : { limit });
  return finish(statement, `DELETE FROM ${table.sql} WHERE ${table.id.sql} IN (${taken}) RETURNING ${selectId(table)}`);
}
