import { MigrationError, type MigrationOutcome, type MigrationStep } from '@x/store';
import { compareExisting } from '../entity/existing-table.ts';
import type { MigrationExecutor, MigrationSession } from '../sql-driver.ts';
import { followChanges, unfollowTable } from './change-triggers.ts';
import type { EvolutionStep } from './evolution-plan.ts';
import { applyOwnMigrations, describeOwnMigration, listPending } from './own-migrations.ts';
import { type Evolution, type EvolutionOptions, type PassOptions, planTables } from './plan-tables.ts';
import { runStepBesideWrites } from './run-step.ts';
import { isRowStep } from './sort-steps.ts';
import { describeStep, type StepPlace, toStepSql } from './step-sql.ts';
import { appendDeclaration, type ColumnState, readHistory, saveState, type TableState } from './table-state.ts';

/**
 * Changes the tables of entities to match their declaration, which becomes the newest of their history. Steps that take
 * no time share one transaction; after that, each index and each batch of rows has its own. A process that is killed
 * between them is continued by the next that starts. NOT NULL is enforced by the store, not by the table: a column that
 * is no longer declared must not block new rows.
 *
 * @throws MigrationError with every reason why the tables can't follow; nothing is changed then
 */
export async function evolveEntities(session: MigrationSession, options: EvolutionOptions): Promise<MigrationOutcome> {
  const { migrations, now } = options;
  const pending = await session.transaction((executor) => listPending(executor, migrations));
  if (pending.length === 0) return evolve(session, options);
  const before = await evolve(session, { ...options, defersContract: true });
  await applyOwnMigrations(session, pending, now);
  const { taken, waiting, notices } = await evolve(session, options);
  return {
    taken: [...before.taken, ...pending.map(describeOwnMigration), ...taken],
    waiting,
    notices: [...new Set([...before.notices, ...notices])],
  };
}

async function evolve(session: MigrationSession, options: PassOptions): Promise<MigrationOutcome> {
  const { outcome, later } = await session.transaction((executor) => begin(executor, options));
  for (const { place, step } of later) await runStepBesideWrites(session, place, step, options.onProgress);
  return outcome;
}

/** A step that is taken after the first transaction. */
interface LaterStep {
  readonly place: StepPlace;
  readonly step: EvolutionStep;
}

interface Beginning {
  readonly outcome: MigrationOutcome;
  readonly later: readonly LaterStep[];
}

async function begin(executor: MigrationExecutor, options: PassOptions): Promise<Beginning> {
  const { entities, dialect, defersContract } = options;
  const { evolutions: planned, problems, notices } = await planTables(executor, options);
  const existing = await compareExisting(executor, dialect, entities);
  // Steps of the app's own, which come before the last pass, may create or change existing tables.
  const found = defersContract ? problems : [...existing.problems, ...problems];
  if (found.length > 0) throw cannotFollow(found);
  const isComplete = ({ match }: Evolution): boolean =>
    !match.declared.columns.some(({ references }) => references && existing.missing.has(references.entity));
  const evolutions = planned.filter(isComplete);
  for (const { place, now } of evolutions) {
    if (now.some(({ type }) => type === 'dropColumn')) await unfollowTable(executor, place.dialect, place.target.table);
  }
  // All tables must exist before one refers to another.
  for (const isCreation of [true, false]) {
    for (const { place, now } of evolutions) {
      const steps = now.filter(({ type }) => (type === 'createTable') === isCreation);
      for (const step of steps) await runNow(executor, place, step);
    }
  }
  for (const evolution of evolutions) await record(executor, evolution, options.now);
  const { tables } = await readHistory(executor);
  await followChanges(executor, { ...options, tables: tables.map(({ state }) => state), isKept: options.keepsChanges });
  const later = evolutions.flatMap(({ place, later: steps }) => steps.map((step) => ({ place, step })));
  const taken = evolutions.flatMap(listTaken);
  return { later, outcome: { taken, waiting: evolutions.flatMap(({ waiting }) => waiting), notices } };
}

/** A table that is created has its columns and indexes from the beginning. */
function listTaken({ match, place, now, later }: Evolution): readonly MigrationStep[] {
  const steps = [...now, ...later].filter(({ type }) => match.known !== null || type === 'createTable');
  return steps.map((step) => describeStep(place, step));
}

async function runNow(executor: MigrationExecutor, place: StepPlace, step: EvolutionStep): Promise<void> {
  const text = toStepSql(place, step);
  if (text !== null) await executor.runScript(text);
}

/** Stores the table as it is after the first transaction, and its declaration if that is the next one. */
async function record(executor: MigrationExecutor, evolution: Evolution, now: Date): Promise<void> {
  const { match, plan } = evolution;
  const { known, digest: declared, version } = match;
  const state = toPresentState(evolution);
  const parent = known?.head ?? null;
  const content = { ...plan.target, columns: plan.target.columns.filter(({ isDropped }) => !isDropped) };
  const head =
    version === 'current' && parent !== null
      ? parent
      : await appendDeclaration(executor, { parent, declared, content }, now);
  const isSame = head === parent && JSON.stringify(state) === JSON.stringify(known?.state);
  if (!isSame) await saveState(executor, { state, head }, known?.state);
}

/** Returns the table before the later steps: a column whose rows they change is still what it was. */
function toPresentState({ match, plan, now, later, deferred }: Evolution): TableState {
  const before = match.known?.state;
  const open = [...later, ...deferred];
  const changing = new Set(open.filter(isRowStep).map(({ to }) => to.column));
  const replacing = open.filter((step) => step.type === 'replaceColumn');
  const replaced = new Set(
    replacing.flatMap(({ from, to, link }) => [...(link.copies ? [] : [from.column]), to.column]),
  );
  const gone = new Set(now.flatMap((step) => (step.type === 'dropColumn' ? [step.from.column] : [])));
  const columns = plan.target.columns
    .filter(({ column }) => !gone.has(column))
    .flatMap((to): ColumnState | readonly ColumnState[] => {
      const from = before?.columns.find(({ column }) => column === to.column);
      if (replaced.has(to.column)) return from ?? [];
      if (!from || !changing.has(to.column)) return to;
      return { ...to, nullable: from.nullable, values: from.values, isDropped: from.isDropped };
    })
    .map((each) => (each.replaces && gone.has(each.replaces.column) ? { ...each, replaces: null } : each));
  const created = now.flatMap((step) => (step.type === 'createIndex' ? [step.index] : []));
  const dropped = now.flatMap((step) => (step.type === 'dropIndex' ? [step.index] : []));
  const kept = (before?.indexes ?? []).filter((index) => !dropped.includes(index));
  return { ...plan.target, columns, indexes: [...kept, ...created] };
}

function cannotFollow(problems: readonly string[]): MigrationError {
  return new MigrationError(
    ['The tables of entities cannot follow their declaration:', ...problems.map((each) => `  - ${each}`)].join('\n'),
  );
}
