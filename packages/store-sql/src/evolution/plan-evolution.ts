import type { EntityColumn, EntityTable, EntityValue } from '@x/store';
import { uniqueKeys } from '@x/store/engine';
import { toColumnName } from '../entity/names.ts';
import { type ColumnState, type IndexState, isSameIndex, type TableState } from './table-state.ts';

/** One change of a table. A `contract` step waits until it is allowed. */
export type EvolutionStep = { readonly kind: 'expand' | 'contract' } & (
  | { readonly type: 'createTable' }
  | { readonly type: 'renameTable'; readonly from: string }
  | { readonly type: 'renameColumn'; readonly from: string; readonly to: ColumnState }
  | { readonly type: 'addColumn'; readonly column: EntityColumn; readonly to: ColumnState }
  | RowStep
  | { readonly type: 'dropIndex' | 'createIndex'; readonly index: IndexState }
  | { readonly type: 'dropColumn'; readonly from: ColumnState }
);

/** A change of those rows of a table that the declaration does not allow; without such rows, there is none. */
export type RowStep = { readonly kind: 'expand' | 'contract'; readonly to: ColumnState } & (
  | { readonly type: 'fillColumn'; readonly value: Exclude<EntityValue, null> | null }
  | { readonly type: 'replaceValues'; readonly replaced: Readonly<Record<string, string>> }
);

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
  readonly declared: EntityTable;
  /** The name of the table. */
  readonly table: string;
  /** Returns the name of the table of an entity. */
  readonly tableOf: (entity: string) => string;
}

/** Decides how a table follows its declaration. */
export function planEvolution(input: EvolutionInput): EvolutionPlan {
  const { state, declared, table } = input;
  const renames = findRenames(state, declared);
  const columns = declared.columns.map((column) => planColumn(input, column, renames.get(column.name)));
  const targets = columns.map(({ to }) => to);
  const used = new Set(targets.map(({ column }) => column));
  // Those dropped last are the last, because they are what a name returns to.
  const dropped = (state?.columns ?? [])
    .filter(({ column }) => !used.has(column))
    .toSorted((a, b) => Number(b.isDropped) - Number(a.isDropped));
  const indexes = toIndexes(
    declared,
    new Map([['id', 'id'], ...targets.map(({ name, column }) => [name, column] as const)]),
  );
  const isRenamed = state !== null && state.name !== declared.name;
  return {
    steps: [
      ...(state === null ? [{ type: 'createTable', kind: 'expand' } as const] : []),
      ...(isRenamed ? [{ type: 'renameTable', kind: 'expand', from: state.name } as const] : []),
      ...columns.flatMap(({ steps }) => steps),
      ...planIndexes(state, indexes, targets),
      ...dropped.map((from) => ({ type: 'dropColumn', kind: 'contract', from }) as const),
    ],
    problems: columns.flatMap(({ problem, to }) =>
      problem === null ? [] : [`${declared.name}.${to.name}: ${problem}`],
    ),
    target: {
      name: declared.name,
      table,
      formerNames: [...(state?.formerNames ?? []), ...(isRenamed ? [state.name] : [])],
      columns: [...targets, ...dropped.map((column) => ({ ...column, isDropped: true }))],
      indexes,
    },
  };
}

/** Pairs new names with old ones. A rename has already happened if the new name is known, and has no effect if the old one is not. */
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
  const { state, declared, tableOf } = input;
  const known = state?.columns ?? [];
  const live = known.find(({ name, isDropped }) => name === (renamedFrom ?? column.name) && !isDropped);
  const wanted = toColumnState(column, tableOf);
  if (live) return planKept(live, { ...wanted, column: live.column, formerNames: live.formerNames }, column);
  const kept = known.findLast((each) => each.name === column.name && each.isDropped && isSameKind(each, wanted));
  if (kept) return planKept(kept, { ...wanted, column: kept.column, formerNames: kept.formerNames }, column);
  const to = { ...wanted, column: toFreeName(wanted.column, known) };
  const newer = findNewerName(known, column.name, declared);
  const problem = newer === null ? findAdditionProblem(column) : `a newer declaration has renamed it to ${newer}`;
  return { steps: [{ type: 'addColumn', kind: 'expand', column, to }], problem: state === null ? null : problem, to };
}

/** Plans a column that is there already, whether it was declared until now or only kept. */
function planKept(from: ColumnState, wanted: ColumnState, column: EntityColumn): ColumnPlan {
  const isRenamed = from.name !== wanted.name;
  const to = isRenamed ? { ...wanted, formerNames: [...wanted.formerNames, from.name] } : wanted;
  const value = column.backfill ?? column.default ?? null;
  const isTightened = !to.nullable && (from.nullable || from.isDropped);
  const isNarrowed = to.values !== null && !from.values?.every((each) => to.values?.includes(each));
  const steps: EvolutionStep[] = [];
  if (isRenamed) steps.push({ type: 'renameColumn', kind: 'expand', from: from.name, to });
  // What is null in rows from while the column was not declared means nothing to anybody.
  if (isTightened) steps.push({ type: 'fillColumn', kind: from.isDropped ? 'expand' : 'contract', to, value });
  if (isNarrowed) steps.push({ type: 'replaceValues', kind: 'contract', to, replaced: column.replacedValues ?? {} });
  return { steps, problem: findChangeProblem(from, to), to };
}

function toColumnState(column: EntityColumn, tableOf: EvolutionInput['tableOf']): ColumnState {
  const { name, type, decimal, nullable, references, values } = column;
  return {
    name,
    column: toColumnName(name),
    formerNames: [],
    type,
    decimal: decimal ?? null,
    nullable,
    references: references ? { table: tableOf(references.entity), onDelete: references.onDelete } : null,
    values: values ?? null,
    isDropped: false,
  };
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

/** There may be rows already, and the value of a reference can't be guessed. */
function findAdditionProblem({ nullable, default: byDefault, backfill, references }: EntityColumn): string | null {
  const value = backfill ?? byDefault;
  if (references) return nullable && value === undefined ? null : 'a reference that is new starts as null';
  return nullable || value !== undefined ? null : 'a column that is new needs a default or a backfill, or may be null';
}

function findChangeProblem(from: ColumnState, to: ColumnState): string | null {
  if (from.type !== to.type) return `is ${from.type} and can't become ${to.type}`;
  if (toKind(from.decimal) !== toKind(to.decimal)) return 'the size of its decimals cannot change';
  return isSameKind(from, to) ? null : 'its reference cannot change';
}

function isSameKind(a: ColumnState, b: ColumnState): boolean {
  return toKind([a.type, a.decimal, a.references]) === toKind([b.type, b.decimal, b.references]);
}

function toKind(parts: unknown): string {
  return JSON.stringify(parts);
}

function planIndexes(
  state: TableState | null,
  wanted: readonly IndexState[],
  targets: readonly ColumnState[],
): readonly EvolutionStep[] {
  const before = state?.indexes ?? [];
  const old = new Set(state?.columns.map(({ column }) => column));
  const declared = new Set(['id', ...targets.map(({ column }) => column)]);
  const gone = before.filter((index) => !wanted.some((each) => isSameIndex(each, index)));
  const added = wanted.filter((index) => !before.some((each) => isSameIndex(each, index)));
  return [
    // Values that are no longer unique would be refused until then; any other index is only in nobody's way.
    ...gone.map((index) => {
      const isLoosened = index.isUnique && index.columns.every((each) => declared.has(each));
      return { type: 'dropIndex', kind: isLoosened ? 'expand' : 'contract', index } as const;
    }),
    ...added.map((index) => {
      const isTightened = index.isUnique && index.columns.every((each) => old.has(each));
      return { type: 'createIndex', kind: isTightened ? 'contract' : 'expand', index } as const;
    }),
  ];
}

function toIndexes(declared: EntityTable, columnOf: ReadonlyMap<string, string>): readonly IndexState[] {
  const { columns, indexes } = declared;
  const toState = (names: readonly string[], isUnique: boolean): IndexState => ({
    columns: names.map((name) => columnOf.get(name) ?? name),
    isUnique,
  });
  const unique = uniqueKeys(declared).map((names) => toState(names, true));
  const wanted = [...columns.filter(({ references }) => references).map(({ name }) => [name, 'id']), ...indexes];
  const others = wanted.map((names) => toState(names, false));
  return [...unique, ...others.filter((index, at) => others.findIndex((each) => isSameIndex(each, index)) === at)];
}
