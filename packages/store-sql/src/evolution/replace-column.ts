import { type EntityValue, isEntityId, MigrationError } from '@x/store';
import { checkEntityValues } from '@x/store/engine';
import { toDecoder, toSqlValue, versionColumn } from '../entity/sql-table.ts';
import type { MigrationExecutor, MigrationSession } from '../sql-driver.ts';
import type { SqlRow, SqlValue } from '../sql-executor.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import { countRows, hasRow } from './check-rows.ts';
import type { ReplaceStep } from './evolution-plan.ts';
import { batchSize, dropLink, type StepPlace, toCopied, toReferredTable, toSqlType, toStepSql } from './step-sql.ts';
import { changeState, type ColumnState, type TableState } from './table-state.ts';

/**
 * Fills a column with the values of the one that it replaces, and takes its place. Versions that write the old column
 * meanwhile make the new one follow, or clear its outdated value. So a process that continues after a kill looks for
 * missing values.
 */
export async function replaceColumn(
  session: MigrationSession,
  place: StepPlace,
  step: ReplaceStep,
  onRows: (rows: number) => void,
): Promise<void> {
  if (!step.isAdded) await session.transaction((executor) => begin(executor, place, step));
  for (let [rows, isOver]: [number, boolean] = [0, false]; !isOver;) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after;
      const ids = await session.transaction((executor) => fillBatch(executor, place, step, from));
      rows += ids.length;
      after = ids.length < batchSize ? undefined : ids.at(-1);
      onRows(rows);
    }
    isOver = await session.transaction((executor) => finish(executor, place, step));
  }
}

/** Adds the new column, unless another process has. */
async function begin(executor: MigrationExecutor, place: StepPlace, step: ReplaceStep): Promise<void> {
  const replaces = step.link.copies ? { ...step.link, isPending: true } : step.link;
  const pending: ColumnState = { ...step.to, isDropped: true, replaces };
  await changeState(executor, place.target.name, async (state) => {
    if (state.columns.some(({ column }) => column === pending.column)) return state;
    await executor.runScript(toStepSql(place, step) ?? '');
    return { ...state, columns: [...state.columns, pending] };
  });
}

/** Returns the condition on rows whose new cell is missing; if the columns follow each other, it has the default. */
function toPending({ dialect }: StepPlace, step: ReplaceStep): string {
  const [from, to] = [quoteIdentifier(step.from.column), quoteIdentifier(step.to.column)];
  if (step.link.isSynced) return `${from} IS DISTINCT FROM ${dialect.widening(step.from, step.to).toNarrow(to)}`;
  return `${to} IS NULL AND ${toFill(step) === null ? `${from} IS NOT NULL` : 'TRUE'}`;
}

/** Returns the value of rows whose null is no longer allowed. */
function toFill({ to, column }: ReplaceStep): Exclude<EntityValue, null> | null {
  return to.nullable ? null : (column.backfill ?? column.default ?? null);
}

/** Says why a column can't be replaced; null if it can. */
export async function findReplaceProblem(
  executor: Pick<MigrationExecutor, 'read'>,
  { name, table }: TableState,
  step: ReplaceStep,
): Promise<string | null> {
  if (step.to.nullable || toFill(step) !== null) return null;
  const count = await countRows(executor, table, `${quoteIdentifier(step.from.column)} IS NULL`);
  if (count === 0) return null;
  return step.link.copies
    ? `${name}.${step.to.name}: ${count} rows have null in ${step.from.name}; give it a default`
    : `${name}.${step.to.name}: ${count} rows have null in it; give it a backfill`;
}

/** Fills the first rows after an id, and returns their ids. */
async function fillBatch(
  executor: MigrationExecutor,
  place: StepPlace,
  step: ReplaceStep,
  after: string,
): Promise<readonly string[]> {
  const { dialect } = place;
  const from = quoteIdentifier(step.from.column);
  const rows = await executor.read(
    `SELECT "id", ${step.from.references?.key ? `CAST(${from} AS TEXT)` : from} AS cell
    FROM ${quoteIdentifier(place.target.table)} WHERE "id" > $1 AND ${toPending(place, step)}
    ORDER BY "id" LIMIT ${batchSize} ${dialect.lockRow}`,
    [after],
  );
  const ids = rows.map((row) => String(row['id']));
  const list = dialect.toList(ids);
  if (rows.length === 0) return ids;
  if (step.column.convert) await storeCells(executor, place, step, { list, cells: convertCells(place, step, rows) });
  else await executor.execute(toCopy(place, step), [list]);
  return ids;
}

/** Records that clients see differently have another version. */
function toUpdate(place: StepPlace, step: ReplaceStep, cell: string): string {
  const version = step.kind === 'contract' ? `, ${versionColumn} = ${versionColumn} + 1` : '';
  return `UPDATE ${quoteIdentifier(place.target.table)} SET ${quoteIdentifier(step.to.column)} = ${cell}${version}`;
}

function toCopy(place: StepPlace, step: ReplaceStep): string {
  const { from, to } = step;
  const cell = toCopied(place, { from, to, fill: toFill(step) }, quoteIdentifier(from.column));
  return `${toUpdate(place, step, cell)} WHERE "id" ${place.dialect.in('text', '$1')}`;
}

async function storeCells(
  executor: MigrationExecutor,
  place: StepPlace,
  step: ReplaceStep,
  { list, cells }: { readonly list: SqlValue; readonly cells: readonly SqlValue[] },
): Promise<void> {
  const { dialect, target } = place;
  const { to } = step;
  const given = dialect.toList(cells);
  const isText = to.references?.key ? to.references.key.type === 'text' : to.type === 'text' || to.type === 'date';
  const toCell = (text: string): string => (isText ? text : `CAST(${text} AS ${toSqlType(dialect, to)})`);
  if (to.references) {
    const { key = { type: 'text', column: 'id' } } = to.references;
    const areIds = cells.every((cell) => cell === null || isEntityId(key, String(cell)));
    const dangling = `SELECT 1 AS found FROM (${dialect.selectTexts('$1')}) AS given_ WHERE value IS NOT NULL AND NOT
      EXISTS (SELECT 1 FROM ${toReferredTable(to.references)} WHERE ${quoteIdentifier(key.column)} = ${toCell('given_.value')}) LIMIT 1`;
    const found = areIds && (await executor.read(dangling, [given])).length === 0;
    if (!found) throw cannotConvert(place, step, 'returned an id that nothing has');
  }
  await executor.execute(
    `${toUpdate(place, step, toCell('given_.cell'))} FROM (
      SELECT ids_.value AS id, cells_.value AS cell FROM (${dialect.selectTexts('$1')}) AS ids_
      JOIN (${dialect.selectTexts('$2')}) AS cells_ ON cells_.place = ids_.place
    ) AS given_ WHERE ${quoteIdentifier(target.table)}."id" = given_.id`,
    [list, given],
  );
}

function convertCells(place: StepPlace, step: ReplaceStep, rows: readonly SqlRow[]): readonly SqlValue[] {
  const { dialect } = place;
  const { column, from, to } = step;
  const decode = toDecoder({ type: from.type, ...(from.decimal && { decimal: from.decimal }) }, dialect);
  const table = { name: place.target.name, columns: [column], indexes: [] };
  return rows.map(({ cell }) => {
    const value = cell === null ? toFill(step) : convert(place, step, decode(cell));
    const isListed = typeof value !== 'string' || (to.values?.includes(value) ?? true);
    if (!isListed) throw cannotConvert(place, step, 'returned none of the declared values');
    try {
      const checked = checkEntityValues(table, {
        [column.name]: value === 'now' && to.type === 'timestamp' ? place.now : value,
      });
      return toSqlValue(to, checked[column.name] ?? null, dialect);
    } catch (error) {
      throw cannotConvert(place, step, "returned what the column can't hold", error);
    }
  });
}

/** The error of the app may contain a value, so the message does not repeat it. */
function convert(place: StepPlace, step: ReplaceStep, old: EntityValue): EntityValue {
  try {
    return (old === null ? null : step.column.convert?.(old)) ?? toFill(step);
  } catch (error) {
    throw cannotConvert(place, step, 'threw', error);
  }
}

function cannotConvert({ target }: StepPlace, { to }: ReplaceStep, what: string, cause?: unknown): MigrationError {
  return new MigrationError(
    `${target.name}.${to.name}: its convert ${what}; nothing is lost, and the next start continues`,
    { cause },
  );
}

/** Gives the new column the place of the old one, unless rows are missing that were written meanwhile. */
async function finish(executor: MigrationExecutor, place: StepPlace, step: ReplaceStep): Promise<boolean> {
  const { target } = place;
  if (!step.to.nullable && (await hasRow(executor, target.table, toPending(place, step)))) return false;
  if (!step.link.isSynced && !step.link.copies) await executor.runScript(dropLink(place, step.to));
  await changeState(executor, target.name, (state) => ({
    ...state,
    columns: state.columns.map((each) => {
      if (each.column === step.to.column) return step.to;
      return each.column === step.from.column && !step.link.copies ? { ...each, isDropped: true } : each;
    }),
  }));
  return true;
}
