import type { MigrateOptions, MigrationStep } from '@x/store';
import type { SqlExecutor } from '../sql-executor.ts';
import { findDuplicates, findRowProblem, hasRow } from './check-rows.ts';
import type { ComparedTable } from './compare-catalog.ts';
import type { EvolutionPlan, EvolutionStep, RowStep } from './evolution-plan.ts';
import type { TableMatch } from './match-tables.ts';
import { findReplaceProblem } from './replace-column.ts';
import { describeStep, type StepPlace, toUnfit } from './step-sql.ts';
import { type IndexState, isSameIndex } from './table-state.ts';

type Reader = Pick<SqlExecutor, 'read'>;

/** The steps of one table, by when they are taken. */
export interface SortedSteps {
  readonly now: readonly EvolutionStep[];
  readonly later: readonly EvolutionStep[];
  /** The steps that another pass takes. */
  readonly deferred: readonly EvolutionStep[];
  /** The steps that wait until they are allowed. */
  readonly waiting: readonly MigrationStep[];
}

/** When a step is taken: `never` if it has nothing to do; or why nothing is changed. */
type Decision = keyof SortedSteps | 'never' | { readonly problem: string };

/** The steps of one table, and what is known of it. */
interface TableSteps {
  readonly place: StepPlace;
  readonly match: TableMatch;
  readonly lost: ComparedTable['lost'];
  readonly plan: EvolutionPlan;
}

interface SortOptions extends Pick<MigrateOptions, 'allowContract'> {
  /** Leaves everything for later that is no `expand`, without saying so. */
  readonly defersContract?: boolean;
}

/** Decides which steps are taken at once, which later, and which wait. */
export async function sortSteps(
  executor: Reader,
  table: TableSteps,
  { allowContract = false, defersContract = false }: SortOptions,
): Promise<SortedSteps & { readonly problems: readonly string[] }> {
  const { place, lost, plan } = table;
  const sorted: Record<Extract<Decision, string>, EvolutionStep[]> = {
    now: [],
    later: [],
    deferred: [],
    waiting: [],
    never: [],
  };
  const problems: string[] = [];
  for (const step of plan.problems.length > 0 ? [] : plan.steps) {
    const isAllowed = step.kind === 'expand' || allowContract || isRepair(step, lost);
    const isDeferred = defersContract && isAfterOwn(step, plan.steps);
    const decision = isDeferred ? 'deferred' : await decide(executor, table, step, isAllowed);
    if (typeof decision === 'string') sorted[decision].push(step);
    else problems.push(decision.problem);
  }
  const { now, later, deferred, waiting } = sorted;
  return { now, later, deferred, waiting: waiting.map((step) => describeStep(place, step)), problems };
}

/** Says whether a step creates an index again that the table has lost. */
function isRepair(step: EvolutionStep, lost: readonly IndexState[]): boolean {
  return step.type === 'createIndex' && lost.some((index) => isSameIndex(index, step.index));
}

/** Says whether a step is taken after those of the app's own: they prepare what is unique, or converted. */
export function isAfterOwn(step: EvolutionStep, all: readonly EvolutionStep[]): boolean {
  if (step.kind === 'contract' || step.type !== 'createIndex') return step.kind === 'contract';
  const { isUnique, columns } = step.index;
  const replaced = all.flatMap((each) => (each.type === 'replaceColumn' ? [each.to.column] : []));
  return isUnique || columns.some((column) => replaced.includes(column));
}

/** Decides when one step is taken. One that rows need cannot wait: nothing may be changed without it. */
async function decide(
  executor: Reader,
  { place, match, plan: { target } }: TableSteps,
  step: EvolutionStep,
  isAllowed: boolean,
): Promise<Decision> {
  const toDecision = (problem: string | null): Decision => (problem === null ? 'later' : { problem });
  const problemOfWaiting = isAllowed ? null : waitsForContract(place, step);
  if (step.type === 'replaceColumn') {
    const problem = await findReplaceProblem(executor, target, step);
    const isNeeded = !isAllowed && (await hasRow(executor, target.table, 'TRUE'));
    return toDecision(problem ?? (isNeeded ? problemOfWaiting : null));
  }
  if (isRowStep(step)) {
    if (!(await hasRow(executor, target.table, toUnfit(place, step)))) return 'never';
    return toDecision((await findRowProblem(executor, place, step)) ?? problemOfWaiting);
  }
  if (!isAllowed) return 'waiting';
  if (step.type !== 'createIndex' || match.known === null) return 'now';
  const { columns } = match.known.state;
  const isThere = step.index.columns.every((name) => columns.some(({ column }) => column === name));
  const mayFail = step.index.isUnique && isThere;
  return toDecision(mayFail ? await findDuplicates(executor, target, step.index) : null);
}

function waitsForContract(place: StepPlace, step: EvolutionStep): string {
  return `${describeStep(place, step).title}: rows need it, and it waits for allowContract, when no earlier version runs`;
}

export function isRowStep(step: EvolutionStep): step is RowStep & EvolutionStep {
  return step.type === 'fillColumn' || step.type === 'replaceValues';
}
