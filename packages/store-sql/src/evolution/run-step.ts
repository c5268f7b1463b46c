import { type MigrateOptions, MigrationError } from '@x/store';
import { DuplicateKeyError } from '../errors.ts';
import type { MigrationExecutor, MigrationSession } from '../sql-driver.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import { findDuplicates } from './check-rows.ts';
import type { EvolutionStep, RowStep } from './evolution-plan.ts';
import { replaceColumn } from './replace-column.ts';
import { batchSize, describeStep, type StepPlace, toAssignment, toIndexBuild, toUnfit } from './step-sql.ts';
import { changeState, type IndexState, isSameIndex } from './table-state.ts';

/** Builds an index or changes rows while others write, and records that it is done. */
export async function runStepBesideWrites(
  session: MigrationSession,
  place: StepPlace,
  step: EvolutionStep,
  onProgress: MigrateOptions['onProgress'],
): Promise<void> {
  if (step.type === 'replaceColumn') {
    const { title } = describeStep(place, step);
    await replaceColumn(session, place, step, (rows) => onProgress?.({ step: title, rows }));
  }
  if (step.type === 'createIndex') await buildIndex(session, place, step.index);
  if (step.type === 'fillColumn' || step.type === 'replaceValues') await changeRows(session, place, step, onProgress);
}

async function buildIndex(session: MigrationSession, { target }: StepPlace, index: IndexState): Promise<void> {
  try {
    await session.buildIndex(toIndexBuild(target, index));
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error;
    const duplicates = await session.transaction((executor) => findDuplicates(executor, target, index));
    throw new MigrationError(duplicates ?? 'Rows that were written meanwhile have the same value.', { cause: error });
  }
  await session.transaction((executor) =>
    changeState(executor, target.name, (state) =>
      state.indexes.some((each) => isSameIndex(each, index)) ? state : { ...state, indexes: [...state.indexes, index] },
    ),
  );
}

/** Changed rows are not found again, so a process that continues after a kill begins at the first id. */
async function changeRows(
  session: MigrationSession,
  place: StepPlace,
  step: RowStep,
  onProgress: MigrateOptions['onProgress'],
): Promise<void> {
  const { title } = describeStep(place, step);
  for (let [after, rows, isDone]: [string, number, boolean] = ['', 0, false]; !isDone;) {
    const ids = await session.transaction((executor) => changeBatch(executor, place, step, after));
    rows += ids.length;
    isDone = ids.length < batchSize;
    after = ids.at(-1) ?? after;
    onProgress?.({ step: title, rows });
  }
  await session.transaction((executor) =>
    changeState(executor, place.target.name, (state) => ({
      ...state,
      columns: state.columns.map((each) => (each.column === step.to.column ? step.to : each)),
    })),
  );
}

/** Changes the first rows after an id, and returns their ids. */
async function changeBatch(
  executor: MigrationExecutor,
  place: StepPlace,
  step: RowStep,
  after: string,
): Promise<readonly string[]> {
  const { dialect } = place;
  const table = quoteIdentifier(place.target.table);
  const unfit = toUnfit(place, step);
  const found = await executor.read(
    `SELECT "id" FROM ${table} WHERE "id" > $1 AND ${unfit} ORDER BY "id" LIMIT ${batchSize}`,
    [after],
  );
  const ids = found.map((row) => String(row['id']));
  const change = `UPDATE ${table} SET ${toAssignment(place, step)} WHERE "id" ${dialect.in('text', '$1')} AND ${unfit}`;
  if (ids.length > 0) await executor.execute(change, [dialect.toList(ids)]);
  return ids;
}
