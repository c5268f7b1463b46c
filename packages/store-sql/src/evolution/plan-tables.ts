import type { EntityTable, MigrateOptions, OwnMigration } from '@x/store';
import { type ExistingEntity, isExisting } from '../entity/existing-table.ts';
import { toTableName } from '../entity/names.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import { type ComparedTable, compareWithCatalog } from './compare-catalog.ts';
import type { EvolutionPlan } from './evolution-plan.ts';
import { matchTables, type TableMatch } from './match-tables.ts';
import { planEvolution } from './plan-evolution.ts';
import { findEntityRenameProblems, findReturningNames } from './rename-problems.ts';
import { findEarlierProblems, findNotices } from './run-earlier.ts';
import { type SortedSteps, sortSteps } from './sort-steps.ts';
import type { StepPlace } from './step-sql.ts';
import { type EntityHistory, readHistory, type ReferenceState } from './table-state.ts';

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

/** Options of one pass over all tables. */
export interface PassOptions extends EvolutionOptions {
  /** Leaves everything for later that is no `expand`, without saying so. */
  readonly defersContract?: boolean;
}

/** How one table changes in this run. */
export interface Evolution extends SortedSteps {
  readonly match: TableMatch;
  readonly place: StepPlace;
  readonly plan: EvolutionPlan;
}

/** How the tables change in this run, or why they can't. */
interface TablesPlan {
  readonly evolutions: readonly Evolution[];
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

/** Plans the change of every table that its declaration may change; earlier declarations only become notices. */
export async function planTables(executor: Pick<SqlExecutor, 'read'>, options: PassOptions): Promise<TablesPlan> {
  const { revert, dialect, now, allowContract = false } = options;
  const entities = options.entities.filter((entity) => !isExisting(entity));
  const history = await readHistory(executor);
  const states = history.tables.map(({ state }) => state);
  const compared: ComparedTable[] = [];
  for (const match of matchTables(entities, history, revert)) {
    compared.push(await compareWithCatalog(executor, dialect, match));
  }
  const matches = compared.map(({ match }) => match);
  const problems = [
    ...findUnknownReferences(options.entities),
    ...findEntityRenameProblems(entities, states),
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
    const plan = planTable(match, { matches, history, options });
    const place = { dialect, target: plan.target, now };
    if (!allowContract) notices.push(...findNullNotices(plan, withDefault));
    const { problems: found, ...steps } = await sortSteps(executor, { place, match, lost, plan }, options);
    problems.push(...plan.problems, ...found);
    evolutions.push({ match, place, plan, ...steps });
  }
  return { evolutions, problems, notices };
}

/** All tables, which one may refer to. */
interface AllTables {
  readonly matches: readonly TableMatch[];
  readonly history: EntityHistory;
  readonly options: PassOptions;
}

function planTable(match: TableMatch, { matches, history, options }: AllTables): EvolutionPlan {
  const { known, declared, table } = match;
  return planEvolution({
    state: known?.state ?? null,
    others: listColumnsOfOthers(match, history),
    declared,
    table,
    referenceTo(name) {
      const other = options.entities.find((each) => each.name === name);
      if (other && isExisting(other)) return toExistingReference(other);
      return { table: matches.find((each) => each.declared.name === name)?.table ?? toTableName(name) };
    },
    entityOf: (name) => history.tables.find(({ state }) => state.table === name)?.state.name,
    dialect: options.dialect,
  });
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
