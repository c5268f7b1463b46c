import { didYouMean } from '@x/errors';
import type { EntityColumn } from '@x/store';
import { uniqueKeys } from '@x/store/engine';
import { isFilled, isNarrowed, isSameKind, isWidening, toFreeName } from './column-kinds.ts';
import type { ColumnPlan, EvolutionInput, EvolutionStep } from './evolution-plan.ts';
import type { ColumnState, TableState } from './table-state.ts';

/** Finds the column that a new one takes its values from, also under the name that it gets now, or had until it went. */
export function findSource(
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
export function planCopied(
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
export function planEnd(
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

/** Says why a column can't take the values of another one; null if it can. */
export function findCopyProblem(from: ColumnState, to: ColumnState): string | null {
  if (!isSameKind(from, to) && !isWidening(from, to)) {
    const kind = (each: ColumnState): string => `${each.type}${each.references ? ' that refers' : ''}`;
    return `can't take its values from ${from.name}: that is ${kind(from)}, and this one ${kind(to)}`;
  }
  return isNarrowed(from, to) ? `can't take its values from ${from.name}, which may have others` : null;
}

/**
 * Says why a column that nothing was found for can't be filled from another one; null if none is declared. Where it could
 * be null or have a default, a name that is misspelt would go unnoticed.
 */
export function findSourceProblem({ state, declared }: EvolutionInput, { backfillFrom }: EntityColumn): string | null {
  if (backfillFrom === undefined) return null;
  const isNew = declared.columns.some(({ name }) => name === backfillFrom);
  if (isNew) return `can't take its values from ${backfillFrom}, which is new as well`;
  const names = (state?.columns ?? []).flatMap(({ name, isDropped }) => (isDropped ? [] : [name]));
  return `can't take its values from ${backfillFrom}, which the table does not have${didYouMean(backfillFrom, names)}`;
}
