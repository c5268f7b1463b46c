import {
  type EntityTable,
  type MigrateOptions,
  MigrationError,
  type MigrationOutcome,
  type MigrationStep,
  type OwnMigration,
} from '@x/store';
import { followChanges, unfollowTable } from './change-triggers.ts';
import { toTableName } from '../entity/names.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { MigrationExecutor, MigrationSession } from '../sql-driver.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import { findDuplicates, findRowProblem, hasRow } from './check-rows.ts';

import { compareExisting, type ExistingEntity, isExisting } from '../entity/existing-table.ts';
import { type ComparedTable, compareWithCatalog } from './compare-catalog.ts';
import { type TableMatch, matchTables } from './match-tables.ts';
import { applyOwnMigrations, describeOwnMigration, listPending } from './own-migrations.ts';
import type { EvolutionPlan, EvolutionStep, RowStep } from './evolution-plan.ts';
import { planEvolution } from './plan-evolution.ts';
import { findEarlierProblems, findNotices } from './run-earlier.ts';
import { findEntityRenameProblems, findReturningNames } from './rename-problems.ts';
import { findReplaceProblem } from './replace-column.ts';
import { runStepBesideWrites } from './run-step.ts';
import { describeStep, type StepPlace, toStepSql, toUnfit } from './step-sql.ts';
import {
  appendDeclaration,
  type ColumnState,
  type EntityHistory,
  isSameIndex,
  readHistory,
  type ReferenceState,
  saveState,
  type TableState,
} from './table-state.ts';

/** The options for bringing the tables of entities up to date. */
export interface EvolutionOptions extends MigrateOptions {
  readonly entities: readonly EntityTable[];
  /** Whether the database keeps the feed of changes. */
  readonly keepsChanges: boolean;
  readonly dialect: SqlDialect;
  readonly now: Date;
  /** Steps of the app's own. */
  readonly migrations: readonly OwnMigration[];
}

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

/** Options of one pass over all tables. */
interface PassOptions extends EvolutionOptions {
  /** Leaves everything for later that is no `expand`, without saying so. */
  readonly defersContract?: boolean;
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
  const { evolutions: planned, problems, notices } = await planAll(executor, options);
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

/** How one table changes in this run. */
export interface Evolution {
  readonly match: TableMatch;
  readonly place: StepPlace;
  readonly plan: EvolutionPlan;
  readonly now: readonly EvolutionStep[];
  readonly later: readonly EvolutionStep[];
  /** The steps that another pass takes. */
  readonly deferred: readonly EvolutionStep[];
  readonly waiting: readonly MigrationStep[];
}

/** Plans the change of every table that its declaration may change; earlier declarations only become notices. */
export async function planAll(
  executor: Pick<SqlExecutor, 'read'>,
  options: PassOptions,
): Promise<{
  readonly evolutions: readonly Evolution[];
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}> {
  const { revert, dialect } = options;
  const entities = options.entities.filter((entity) => !isExisting(entity));
  const history = await readHistory(executor);
  const found = matchTables(entities, history, revert);
  const compared: ComparedTable[] = [];
  for (const match of found) compared.push(await compareWithCatalog(executor, dialect, match));
  const matches = compared.map(({ match }) => match);
  const referenceTo = (name: string): Omit<ReferenceState, 'onDelete'> => {
    const other = options.entities.find((each) => each.name === name);
    if (other && isExisting(other)) return toExistingReference(other);
    return { table: matches.find(({ declared }) => declared.name === name)?.table ?? toTableName(name) };
  };
  const entityOf = (table: string): string | undefined =>
    history.tables.find(({ state }) => state.table === table)?.state.name;
  const problems = [
    ...findUnknownReferences(options.entities),
    ...findEntityRenameProblems(
      entities,
      history.tables.map(({ state }) => state),
    ),
    ...matches.flatMap(({ problem }) => problem ?? []),
    ...compared.flatMap((each) => each.problems),
  ];
  const notices = compared.flatMap((each) => each.notices);
  // Rows are only looked at where they are known to be.
  if (compared.some((each) => each.problems.length > 0)) return { evolutions: [], problems, notices };
  const evolutions: Evolution[] = [];
  for (const { match, lost, withDefault } of compared) {
    if (match.version === 'earlier') {
      problems.push(...findReturningNames(match), ...(await findEarlierProblems(executor, match)));
      notices.push(...findNotices(match));
      continue;
    }
    const plan = planEvolution({
      state: match.known?.state ?? null,
      others: listColumnsOfOthers(match, history),
      declared: match.declared,
      table: match.table,
      referenceTo,
      entityOf,
      dialect,
    });
    const place = { dialect, target: plan.target, now: options.now };
    problems.push(...plan.problems);
    if (!options.allowContract) notices.push(...findNullNotices(plan, withDefault));
    const evolution = await sortSteps(executor, { match, lost, plan, place, options });
    problems.push(...evolution.problems);
    evolutions.push(evolution);
  }
  return { evolutions, problems, notices };
}

/** Lists the columns of a table that versions of another declaration write: a start may continue with the newest. */
function listColumnsOfOthers({ table, digest }: TableMatch, { past }: EntityHistory): ReadonlySet<string> {
  const others = past.filter(({ declared, content }) => declared !== digest && content.table === table);
  return new Set(others.flatMap(({ content }) => content.columns.map(({ column }) => column)));
}

/** Finds required columns that are null for earlier versions in the rows of this one, which does not declare them. */
function findNullNotices({ steps, target }: EvolutionPlan, withDefault: ReadonlySet<string>): readonly string[] {
  return steps.flatMap((step) => {
    const isGone = step.type === 'dropColumn' || (step.type === 'replaceColumn' && step.link.copies === 'all');
    if (!isGone || step.from.isDropped) return [];
    const { name, column, nullable } = step.from;
    if (nullable || withDefault.has(column)) return [];
    return [
      `${target.name}.${name}: earlier versions, which require it, read null in new rows; first run a release in which it is nullable`,
    ];
  });
}

/** Decides which steps are taken at once, which later, and which wait. */
async function sortSteps(
  executor: Pick<SqlExecutor, 'read'>,
  given: Pick<Evolution, 'match' | 'plan' | 'place'> & Pick<ComparedTable, 'lost'> & { readonly options: PassOptions },
): Promise<Evolution & { readonly problems: readonly string[] }> {
  const { match, lost, plan, place, options } = given;
  const { allowContract = false, defersContract = false } = options;
  const [now, later, deferred]: EvolutionStep[][] & { length: 3 } = [[], [], []];
  const waiting: MigrationStep[] = [];
  const problems: string[] = [];
  for (const step of plan.problems.length > 0 ? [] : plan.steps) {
    if (defersContract && isAfterOwn(step, plan.steps)) {
      deferred.push(step);
      continue;
    }
    const isRepair = step.type === 'createIndex' && lost.some((index) => isSameIndex(index, step.index));
    const isAllowed = step.kind === 'expand' || allowContract || isRepair;
    if (step.type === 'replaceColumn') {
      const problem = await findReplaceProblem(executor, plan.target, step);
      const isWaiting = !isAllowed && (await hasRow(executor, plan.target.table, 'TRUE'));
      if (problem !== null) problems.push(problem);
      else if (isWaiting) problems.push(waitsForContract(place, step));
      else later.push(step);
      continue;
    }
    if (isRowStep(step)) {
      if (!(await hasRow(executor, plan.target.table, toUnfit(place, step)))) continue;
      const problem = await findRowProblem(executor, place, step);
      if (problem !== null) problems.push(problem);
      else if (isAllowed) later.push(step);
      else problems.push(waitsForContract(place, step));
    } else if (!isAllowed) {
      waiting.push(describeStep(place, step));
    } else if (step.type === 'createIndex' && match.known !== null) {
      const { state } = match.known;
      const isThere = step.index.columns.every((name) => state.columns.some(({ column }) => column === name));
      const mayFail = step.index.isUnique && isThere;
      const duplicates = mayFail ? await findDuplicates(executor, plan.target, step.index) : null;
      if (duplicates === null) later.push(step);
      else problems.push(duplicates);
    } else {
      now.push(step);
    }
  }
  return { match, plan, place, now, later, deferred, waiting, problems };
}

/** Says whether a step is taken after those of the app's own: they prepare what is unique, or converted. */
export function isAfterOwn(step: EvolutionStep, all: readonly EvolutionStep[]): boolean {
  if (step.kind === 'contract' || step.type !== 'createIndex') return step.kind === 'contract';
  const { isUnique, columns } = step.index;
  const replaced = all.flatMap((each) => (each.type === 'replaceColumn' ? [each.to.column] : []));
  return isUnique || columns.some((column) => replaced.includes(column));
}

function waitsForContract(place: StepPlace, step: EvolutionStep): string {
  return `${describeStep(place, step).title}: rows need it, and it waits for allowContract, when no earlier version runs`;
}

export function isRowStep(step: EvolutionStep): step is RowStep & EvolutionStep {
  return step.type === 'fillColumn' || step.type === 'replaceValues';
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

function findUnknownReferences(entities: readonly EntityTable[]): readonly string[] {
  const names = new Set(entities.map(({ name }) => name));
  return entities.flatMap(({ name, columns }) =>
    columns
      .filter(({ references }) => references && !names.has(references.entity))
      .map((column) => `${name}.${column.name}: there is no entity ${column.references?.entity}`),
  );
}

function toExistingReference({ existing, key = { type: 'text' } }: ExistingEntity): Omit<ReferenceState, 'onDelete'> {
  return { table: existing.table, key: { type: key.type, column: existing.columnNames['id'] ?? 'id' } };
}

function cannotFollow(problems: readonly string[]): MigrationError {
  return new MigrationError(
    ['The tables of entities cannot follow their declaration:', ...problems.map((each) => `  - ${each}`)].join('\n'),
  );
}
