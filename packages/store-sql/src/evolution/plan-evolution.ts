import { didYouMean } from '@x/errors';
import { type EntityColumn, type EntityTable, type EntityValue, parseIndexPart } from '@x/store';
import { uniqueKeys } from '@x/store/engine';
import { compileIndexCondition } from '../entity/index-condition.ts';
import { toReferring } from '../entity/existing-table.ts';
import { toColumnName } from '../entity/names.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { quoteIdentifier, type SqlColumn } from '../where/compile-where.ts';
import { findRenameProblems } from './rename-problems.ts';
import { type ColumnState, type IndexState, isSameIndex, type ReferenceState, type TableState } from './table-state.ts';

/** One change of a table. A `contract` step waits until it is allowed. */
export type EvolutionStep = { readonly kind: 'expand' | 'contract' } & (
  | { readonly type: 'createTable' }
  | { readonly type: 'renameTable'; readonly from: string }
  | { readonly type: 'renameColumn'; readonly from: string; readonly to: ColumnState }
  | { readonly type: 'addColumn'; readonly column: EntityColumn; readonly to: ColumnState }
  | RowStep
  | ReplaceStep
  | { readonly type: 'endCopy'; readonly to: ColumnState }
  | { readonly type: 'dropIndex' | 'createIndex'; readonly index: IndexState }
  | { readonly type: 'dropColumn'; readonly from: ColumnState }
);

/** A change of those rows of a table that the declaration does not allow; without such rows, there is none. */
export type RowStep = { readonly kind: 'expand' | 'contract'; readonly to: ColumnState } & (
  | {
      readonly type: 'fillColumn';
      readonly value: Exclude<EntityValue, null> | null;
      /** The column whose values are taken, where they are not null. */
      readonly source: ColumnState | null;
    }
  | { readonly type: 'replaceValues'; readonly replaced: Readonly<Record<string, string>> }
);

/** A new column that gets the values of another one, in batches. Unless it copies them, it takes the place of that. */
export interface ReplaceStep {
  readonly type: 'replaceColumn';
  readonly kind: 'expand' | 'contract';
  readonly from: ColumnState;
  readonly to: ColumnState;
  /** How the two are connected while both are written. */
  readonly link: NonNullable<ColumnState['replaces']>;
  /** Whether the new column is already in the table. */
  readonly isAdded: boolean;
  readonly column: EntityColumn;
}

/** The steps that bring a table to its declaration, or why that is impossible. */
export interface EvolutionPlan {
  readonly steps: readonly EvolutionStep[];
  /** One sentence each. If there are any, the steps must not be taken. */
  readonly problems: readonly string[];
  /** The table after the steps, with those columns that are no longer declared. */
  readonly target: TableState;
}

/** A declared entity, and its table. */
export interface EvolutionInput {
  /** Null if there is no table yet. */
  readonly state: TableState | null;
  /** The columns that versions of another declaration write. */
  readonly others: ReadonlySet<string>;
  readonly declared: EntityTable;
  /** The name of the table. */
  readonly table: string;
  /** Returns how columns refer to an entity. */
  readonly referenceTo: (entity: string) => Omit<ReferenceState, 'onDelete'>;
  /** Returns the name of the entity that a table has in the database. */
  readonly entityOf: (table: string) => string | undefined;
  readonly dialect: SqlDialect;
}

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

interface ColumnPlan {
  readonly steps: readonly EvolutionStep[];
  readonly problem: string | null;
  readonly to: ColumnState;
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

/** Finds the column that a new one takes its values from, also under the name that it gets now, or had until it went. */
function findSource(
  { state, declared }: EvolutionInput,
  { name, backfillFrom }: EntityColumn,
  begun?: ColumnState,
): ColumnState | undefined {
  if (backfillFrom === undefined) return undefined;
  const known = state?.columns ?? [];
  if (begun) return known.find(({ column }) => column === begun.replaces?.column);
  const former = declared.columns.find((each) => each.name === backfillFrom)?.renamedFrom;
  const find = (wanted: string | undefined): ColumnState | undefined =>
    known.find((each) => each.name === wanted && !each.isDropped && each.name !== name);
  const isGone = (each: ColumnState): boolean => each.name === backfillFrom && each.isDropped && isFilled(each);
  return find(backfillFrom) ?? find(former) ?? known.findLast(isGone);
}

/**
 * Plans a new column that takes the values of another one. If that is no longer declared, only versions before write it,
 * so the new one goes on following it. Otherwise both are independent from now on, and only rows that versions before
 * insert still get its value: if it is required, it is known from its null that they did.
 */
function planCopied(
  { state, declared }: EvolutionInput,
  from: ColumnState,
  wanted: ColumnState,
  { column, begun }: { readonly column: EntityColumn; readonly begun: ColumnState | undefined },
): ColumnPlan {
  const isDeclared = declared.columns.some(({ name, renamedFrom }) => name === from.name || renamedFrom === from.name);
  const copies = !isDeclared ? 'all' : wanted.nullable ? 'none' : 'inserts';
  const pending = begun?.replaces?.copies === copies ? begun : undefined;
  const link = { column: from.column, isSynced: false, copies } as const;
  const to: ColumnState = {
    ...wanted,
    column: pending?.column ?? toFreeName(wanted.column, state?.columns ?? []),
    replaces: link,
  };
  const isUnique = uniqueKeys(declared).some((key) => key.length === 1 && key[0] === column.name);
  const wasUnique = state?.indexes.some((index) => index.isUnique && String(index.columns) === from.column);
  // Versions before would write what this one can't have.
  const isTightened = (isUnique && !wasUnique) || (from.nullable && !wanted.nullable && column.default === undefined);
  const kind = isTightened ? 'contract' : 'expand';
  return {
    steps: [{ type: 'replaceColumn', kind, from, to, link, isAdded: pending !== undefined, column }],
    problem: findCopyProblem(from, to),
    to,
  };
}

/**
 * Plans the end of a copy whose other column this version writes as well, or whose null no longer says that a version
 * before has written a row.
 */
function planEnd(
  state: TableState | null,
  to: ColumnState,
  used: ReadonlySet<string>,
): readonly Extract<EvolutionStep, { readonly type: 'endCopy' }>[] {
  const { replaces } = to;
  const before = state?.columns.find(({ column }) => column === to.column);
  const from = state?.columns.find(({ column }) => column === replaces?.column);
  if (!replaces?.copies || !before || !from || before.isDropped) return [];
  const isWritten = replaces.copies === 'all' && used.has(from.column);
  const isLoosened = to.nullable && !before.nullable;
  return isWritten || isLoosened ? [{ type: 'endCopy', kind: 'expand', to: { ...to, replaces: null } }] : [];
}

function findCopyProblem(from: ColumnState, to: ColumnState): string | null {
  if (!isSameKind(from, to) && !isWidening(from, to)) {
    const kind = (each: ColumnState): string => `${each.type}${each.references ? ' that refers' : ''}`;
    return `can't take its values from ${from.name}: that is ${kind(from)}, and this one ${kind(to)}`;
  }
  return isNarrowed(from, to) ? `can't take its values from ${from.name}, which may have others` : null;
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

/** A name that returns with another type gets a column of its own; that of the old values keeps its name. */
function toFreeName(wanted: string, known: readonly ColumnState[]): string {
  const taken = new Set(known.map(({ column }) => column));
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!taken.has(`${wanted}_${number}`)) return `${wanted}_${number}`;
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

/** Where it could be null or have a default, a name that is misspelt would go unnoticed. */
function findSourceProblem({ state, declared }: EvolutionInput, { backfillFrom }: EntityColumn): string | null {
  if (backfillFrom === undefined) return null;
  const isNew = declared.columns.some(({ name }) => name === backfillFrom);
  if (isNew) return `can't take its values from ${backfillFrom}, which is new as well`;
  const names = (state?.columns ?? []).flatMap(({ name, isDropped }) => (isDropped ? [] : [name]));
  return `can't take its values from ${backfillFrom}, which the table does not have${didYouMean(backfillFrom, names)}`;
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

function isFilled({ replaces }: ColumnState): boolean {
  return replaces === null || replaces.isSynced || (replaces.copies !== undefined && !replaces.isPending);
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

/** Says whether the cells of a column are what is declared, or become it where they are. */
function canKeep(from: ColumnState, to: ColumnState, { convert }: EntityColumn): boolean {
  if (convert && isNarrowed(from, to)) return false;
  const isLonger = from.decimal !== null && from.decimal.scale === to.decimal?.scale && isWidening(from, to);
  return isSameKind(from, to) || isLonger;
}

function isNarrowed(from: ColumnState, { values }: ColumnState): boolean {
  return values !== null && !from.values?.every((each) => values.includes(each));
}

/** Says whether every value of one column is one of the other. */
function isWidening(from: ColumnState, to: ColumnState): boolean {
  if (from.references || to.references) return false;
  if (from.type === 'integer') return to.type === 'number';
  if (!from.decimal || !to.decimal) return false;
  const [before, after] = [from.decimal, to.decimal];
  return after.scale >= before.scale && after.precision - after.scale >= before.precision - before.scale;
}

function isSameKind(a: ColumnState, b: ColumnState): boolean {
  return toKind([a.type, a.decimal, a.references]) === toKind([b.type, b.decimal, b.references]);
}

function toKind(parts: unknown): string {
  return JSON.stringify(parts);
}

function planIndexes(
  { state, others }: EvolutionInput,
  wanted: readonly IndexState[],
  targets: readonly ColumnState[],
): readonly EvolutionStep[] {
  const before = state?.indexes ?? [];
  const declared = new Set(['id', ...targets.map(({ column }) => column)]);
  const gone = before.filter((index) => !wanted.some((each) => isSameIndex(each, index)));
  const added = wanted.filter((index) => !before.some((each) => isSameIndex(each, index)));
  return [
    // Until it is dropped, an index refuses values that no longer have to be unique; any other index can stay.
    ...gone.map((index) => {
      const isLoosened = index.isUnique && index.columns.every((each) => declared.has(each));
      return { type: 'dropIndex', kind: isLoosened ? 'expand' : 'contract', index } as const;
    }),
    ...added.map((index) => {
      const isTightened = index.isUnique && index.columns.every((each) => others.has(each));
      return { type: 'createIndex', kind: isTightened ? 'contract' : 'expand', index } as const;
    }),
  ];
}

function toIndexes({ declared, dialect }: EvolutionInput, targets: readonly ColumnState[]): readonly IndexState[] {
  const { columns, indexes, partialIndexes = [] } = declared;
  const columnOf = new Map([['id', 'id'], ...targets.map(({ name, column }) => [name, column] as const)]);
  const toState = (names: readonly string[], isUnique: boolean, where: string | null = null): IndexState => {
    const parts = names.map((name) => {
      const { column, isDescending } = parseIndexPart(name);
      return { column: columnOf.get(column) ?? column, isDescending };
    });
    return {
      columns: parts.map(({ column }) => column),
      descending: parts.flatMap(({ column, isDescending }) => (isDescending ? [column] : [])),
      isUnique,
      where,
    };
  };
  const sqlColumns = new Map<string, SqlColumn>([
    ['id', { sql: '"id"', type: 'text' }],
    ...targets.map(({ name, column, type, decimal, references }): [string, SqlColumn] => [
      name,
      { ...toReferring(dialect, references?.key?.type, quoteIdentifier(column)), type, ...(decimal && { decimal }) },
    ]),
  ]);
  const unique = uniqueKeys(declared).map((names) => toState(names, true));
  const wanted = [...columns.filter(({ references }) => references).map(({ name }) => [name, 'id']), ...indexes];
  const others = [
    ...wanted.map((names) => toState(names, false)),
    ...partialIndexes.map(({ columns: names, where, unique: isUnique = false }) =>
      toState(names, isUnique, compileIndexCondition(where, sqlColumns, dialect)),
    ),
  ];
  return [...unique, ...others.filter((index, at) => others.findIndex((each) => isSameIndex(each, index)) === at)];
}
