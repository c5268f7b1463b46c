import type { EntityColumn } from '@x/store';
import type { ColumnState } from './table-state.ts';

/** Says whether the cells of a column are what is declared, or become it where they are. */
export function canKeep(from: ColumnState, to: ColumnState, { convert }: EntityColumn): boolean {
  if (convert && isNarrowed(from, to)) return false;
  const isLonger = from.decimal !== null && from.decimal.scale === to.decimal?.scale && isWidening(from, to);
  return isSameKind(from, to) || isLonger;
}

/** Says whether a column may have values that the other does not declare. */
export function isNarrowed(from: ColumnState, { values }: ColumnState): boolean {
  return values !== null && !from.values?.every((each) => values.includes(each));
}

/** Says whether every value of one column is one of the other. */
export function isWidening(from: ColumnState, to: ColumnState): boolean {
  if (from.references || to.references) return false;
  if (from.type === 'integer') return to.type === 'number';
  if (!from.decimal || !to.decimal) return false;
  const [before, after] = [from.decimal, to.decimal];
  return after.scale >= before.scale && after.precision - after.scale >= before.precision - before.scale;
}

/** Says whether the cells of two columns have the same type, decimals and reference. */
export function isSameKind(a: ColumnState, b: ColumnState): boolean {
  return toKind([a.type, a.decimal, a.references]) === toKind([b.type, b.decimal, b.references]);
}

/** Returns a text that is the same for the same kind. */
export function toKind(parts: unknown): string {
  return JSON.stringify(parts);
}

/** Says whether a column has all values, and is not one that was added only to get them. */
export function isFilled({ replaces }: ColumnState): boolean {
  return replaces === null || replaces.isSynced || (replaces.copies !== undefined && !replaces.isPending);
}

/** A name that returns with another type gets a column of its own; that of the old values keeps its name. */
export function toFreeName(wanted: string, known: readonly ColumnState[]): string {
  const taken = new Set(known.map(({ column }) => column));
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!taken.has(`${wanted}_${number}`)) return `${wanted}_${number}`;
}
