import type { EntityColumn, EntityTable } from '@x/store';
import { uniqueKeys } from '@x/store/engine';
import { toColumnName } from '../entity/names.ts';
import { canKeep, isFilled, isNarrowed, isSameKind, isWidening, toFreeName, toKind } from './column-kinds.ts';
import type { ColumnPlan, EvolutionInput, EvolutionPlan, EvolutionStep } from './evolution-plan.ts';
import { findCopyProblem, findSource, findSourceProblem, planCopied, planEnd } from './plan-copy.ts';
import { planIndexes, toIndexes } from './plan-indexes.ts';
import { findRenameProblems } from './rename-problems.ts';
import type { ColumnState, TableState } from './table-state.ts';

/** Decides how a table follows its declaration. */
export function planEvolution(input: EvolutionInput): EvolutionPlan {
  const { state, declared, table } = input;
  const renames = findRenames(state, declared);
  const columns = declared.columns.map((column) => planColumn(input, column, renames.get(column.name)));
  const used = new Set(columns.map(({ to }) => to.column));
  const ends = columns.flatMap(({ to }) => planEnd(state, to, used));
  const targets = columns.map(({ to }) => ends.find((end) => end.to.column === to.column)?.to ?? to);
  const steps = [...ends, ...columns.flatMap((each) => each.steps)];
  const read = new Set(steps.flatMap((step) => toSource(step)?.column ?? []));
  // Those dropped last are the last, because they are what a name returns to.
  const dropped = (state?.columns ?? [])
    .filter(({ column }) => !used.has(column))
    .toSorted((a, b) => Number(b.isDropped) - Number(a.isDropped));
  const indexes = toIndexes(input, targets);
  const isRenamed = state !== null && state.name !== declared.name;
  return {
    steps: [
      ...(state === null ? [{ type: 'createTable', kind: 'expand' } as const] : []),
      ...(isRenamed ? [{ type: 'renameTable', kind: 'expand', from: state.name } as const] : []),
      ...steps,
      ...planIndexes(input, indexes, targets),
      // Values that others get are kept until the next time.
      ...dropped
        .filter(({ column }) => !read.has(column))
        .map((from) => ({ type: 'dropColumn', kind: 'contract', from }) as const),
    ],
    problems: [
      ...findRenameProblems(state, declared),
      ...columns.flatMap(({ problem, to }) => (problem === null ? [] : [`${declared.name}.${to.name}: ${problem}`])),
    ],
    target: {
      name: declared.name,
      table,
      formerNames: state ? [...state.formerNames, ...(isRenamed ? [state.name] : [])] : toFormerNames(declared),
      columns: [...targets, ...dropped.map((column) => ({ ...column, isDropped: true }))],
      indexes,
    },
  };
}

function toSource(step: EvolutionStep): ColumnState | null {
  if (step.type === 'fillColumn') return step.source;
  return step.type === 'replaceColumn' ? step.from : null;
}

/** Pairs new names with old ones. A rename is over if the new name is known, and has no effect if the old is not. */
function findRenames(state: TableState | null, { columns }: EntityTable): ReadonlyMap<string, string> {
  const known = new Set(state?.columns.filter(({ isDropped }) => !isDropped).map(({ name }) => name));
  const declared = new Set(columns.map(({ name }) => name));
  return new Map(
    columns.flatMap(({ name, renamedFrom }): [string, string][] => {
      const isWanted = renamedFrom !== undefined && known.has(renamedFrom) && !known.has(name);
      return isWanted && !declared.has(renamedFrom) ? [[name, renamedFrom]] : [];
    }),
  );
}

function planColumn(input: EvolutionInput, column: EntityColumn, renamedFrom: string | undefined): ColumnPlan {
  const { state, declared, referenceTo } = input;
  const known = state?.columns ?? [];
  const live = known.find(({ name, isDropped }) => name === (renamedFrom ?? column.name) && !isDropped);
  const wanted = toColumnState(column, referenceTo);
  if (live && !canKeep(live, wanted, column)) return planReplaced(input, live, wanted, column);
  if (live) return planKept(input, live, wanted, column);
  const kept = known.findLast(
    (each) => each.name === column.name && canReturn(each, wanted) && !isFollowed(known, each),
  );
  const followed = kept?.replaces?.isSynced && known.find((each) => each.column === kept.replaces?.column);
  if (followed) return planReplaced(input, followed, wanted, column);
  if (kept) return planKept(input, kept, wanted, column);
  const begun = known.find((each) => each.name === column.name && each.replaces?.isPending && isSameKind(each, wanted));
  const source = findSource(input, column, begun);
  if (source) return planCopied(input, source, wanted, { column, begun });
  const to = { ...wanted, column: toFreeName(wanted.column, known), initial: toInitial(column) };
  const newer = findNewerName(known, column.name, declared);
  const problem =
    newer === null
      ? (findSourceProblem(input, column) ?? findAdditionProblem(column, findPossibleNames(input, wanted)))
      : `a newer declaration has renamed it to ${newer}; declare ${newer}, with renamedFrom: '${column.name}'`;
  return { steps: [{ type: 'addColumn', kind: 'expand', column, to }], problem: state === null ? null : problem, to };
}

/** Plans a column that is there already, whether it was declared until now or only kept. */
function planKept(input: EvolutionInput, from: ColumnState, wanted: ColumnState, column: EntityColumn): ColumnPlan {
  const isRenamed = from.name !== wanted.name;
  const formerNames = isRenamed ? [...from.formerNames, from.name] : from.formerNames;
  const to = { ...wanted, column: from.column, formerNames, initial: from.initial, replaces: from.replaces };
  const value = column.backfill ?? column.default ?? null;
  const isTightened = !to.nullable && (from.nullable || from.isDropped);
  const steps: EvolutionStep[] = [];
  if (isRenamed) steps.push({ type: 'renameColumn', kind: 'expand', from: from.name, to });
  // A row that was written while the column was not declared has a null without a meaning.
  const source = isTightened ? (findSource(input, column) ?? null) : null;
  if (isTightened) steps.push({ type: 'fillColumn', kind: from.isDropped ? 'expand' : 'contract', to, value, source });
  if (isNarrowed(from, to))
    steps.push({ type: 'replaceValues', kind: 'contract', to, replaced: column.replacedValues ?? {} });
  return { steps, problem: source && findCopyProblem(source, to), to };
}

/** Plans a column whose cells must become others. */
function planReplaced(input: EvolutionInput, from: ColumnState, wanted: ColumnState, column: EntityColumn): ColumnPlan {
  const { state, declared, entityOf } = input;
  const known = state?.columns ?? [];
  const twin = known.find((each) => from.replaces?.isSynced && each.column === from.replaces.column);
  if (twin && isSameKind(twin, wanted)) return planKept(input, twin, wanted, column);
  const isUnique = uniqueKeys(declared).some((key) => key.includes(column.name));
  const isWidened = column.convert === undefined && isWidening(from, wanted);
  const isTightened = from.nullable && !wanted.nullable;
  const pending = known.find(
    ({ replaces, ...each }) =>
      replaces?.column === from.column && !replaces.copies && isSameKind({ ...each, replaces }, wanted),
  );
  const link = pending?.replaces ?? { column: from.column, isSynced: isWidened && !isUnique && !isTightened };
  const to: ColumnState = {
    ...wanted,
    column: pending?.column ?? toFreeName(wanted.column, known),
    formerNames: from.name === wanted.name ? from.formerNames : [...from.formerNames, from.name],
    initial: link.isSynced ? from.initial : null,
    replaces: link.isSynced ? link : null,
  };
  const kind = link.isSynced ? 'expand' : 'contract';
  return {
    steps: [
      // In the rows of this version, its null would be taken for that of a version before.
      ...(from.replaces?.copies ? [{ type: 'endCopy', kind: 'expand', to: from } as const] : []),
      { type: 'replaceColumn', kind, from, to, link, isAdded: pending !== undefined, column },
    ],
    problem: isWidened || column.convert ? null : findChangeProblem(from, to, { column, entityOf }),
    to,
  };
}

function toColumnState(column: EntityColumn, referenceTo: EvolutionInput['referenceTo']): ColumnState {
  const { name, type, decimal, nullable, references, values } = column;
  return {
    name,
    column: toColumnName(name),
    formerNames: toFormerNames(column),
    type,
    decimal: decimal ?? null,
    nullable,
    references: references ? { ...referenceTo(references.entity), onDelete: references.onDelete } : null,
    values: values ?? null,
    initial: null,
    replaces: null,
    isDropped: false,
  };
}

/** Returns the older name of a new table or column, by which older versions look for it. */
function toFormerNames({ renamedFrom }: Pick<EntityColumn, 'renamedFrom'>): readonly string[] {
  return renamedFrom === undefined ? [] : [renamedFrom];
}

function toInitial({ type, backfill, default: byDefault }: EntityColumn): ColumnState['initial'] {
  const value = backfill ?? byDefault;
  if (type === 'timestamp' || type === 'json') return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Who declares only the former name of a column does not know the newer one. */
function findNewerName(known: readonly ColumnState[], name: string, { columns }: EntityTable): string | null {
  const newer = known.find(({ formerNames, isDropped }) => formerNames.includes(name) && !isDropped);
  return newer && !columns.some((each) => each.name === newer.name) ? newer.name : null;
}

/** A new column may be one that is no longer declared, and has lost its name. */
function findPossibleNames({ state, declared }: EvolutionInput, wanted: ColumnState): readonly string[] {
  const used = new Set(declared.columns.flatMap(({ name, renamedFrom }) => [name, renamedFrom]));
  const gone = (state?.columns ?? []).filter(({ name, isDropped }) => !isDropped && !used.has(name));
  return gone.filter((each) => isSameKind(each, wanted)).map(({ name }) => name);
}

/** There may be rows already, and the value of a reference can't be guessed. */
function findAdditionProblem(
  { nullable, default: byDefault, backfill, references }: EntityColumn,
  possibleNames: readonly string[],
): string | null {
  const value = backfill ?? byDefault;
  const isPossible = references ? nullable && value === undefined : nullable || value !== undefined;
  if (isPossible) return null;
  const need = references
    ? 'a reference that is new starts as null'
    : 'a column that is new needs a default or a backfill, or may be null';
  const ways = possibleNames.map((name) => `; if ${name} was its name, declare it with renamedFrom: '${name}'`);
  return `${need}${ways.join('')}`;
}

/** A column that was never filled has nothing to return with. */
function canReturn(kept: ColumnState, wanted: ColumnState): boolean {
  return kept.isDropped && isSameKind(kept, wanted) && isFilled(kept);
}

/** The narrow column of one that was widened, and has another name now, has its values. */
function isFollowed(known: readonly ColumnState[], { column }: ColumnState): boolean {
  return known.some(({ isDropped, replaces }) => !isDropped && replaces?.isSynced && replaces.column === column);
}

function findChangeProblem(
  from: ColumnState,
  to: ColumnState,
  { column, entityOf }: Pick<EvolutionInput, 'entityOf'> & { readonly column: EntityColumn },
): string {
  if (from.type !== to.type) return `is ${from.type} and can't become ${to.type} without a convert`;
  if (toKind(from.decimal) !== toKind(to.decimal)) return "its number of decimals can't change without a convert";
  const problem = "its reference can't change without a convert";
  const [before, after] = [from.references && entityOf(from.references.table), column.references?.entity];
  return before && after && before !== after
    ? `${problem}; if ${before} was the name of ${after}, declare that with renamedFrom: '${before}'`
    : problem;
}
