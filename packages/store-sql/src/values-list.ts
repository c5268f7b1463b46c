import type { SqlValue } from './sql-driver.ts';

/** Rows of texts that a statement takes as a `VALUES` list. */
export interface ValuesList {
  /** What follows `VALUES`. */
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * Writes rows of texts, all of one length and at least one, as a `VALUES` list that binds from `$first` on. The last row
 * is repeated until their number is a power of two, so that few texts come of it: engines keep statements by their text.
 */
export function toValuesList(rows: readonly (readonly SqlValue[])[], first: number): ValuesList {
  const last = rows.at(-1);
  if (!last) throw new TypeError('A VALUES list has at least one row.');
  const count = 2 ** Math.ceil(Math.log2(rows.length));
  const padded = Array.from({ length: count }, (_, index) => rows[index] ?? last);
  return { text: toPlaces(count, last.length, first), values: padded.flat() };
}

const kept = new Map<string, string>();

/** The cast tells an engine the type of a parameter that it would have to guess. */
function toPlaces(count: number, width: number, first: number): string {
  const name = `${count} ${width} ${first}`;
  const known = kept.get(name);
  if (known) return known;
  const toPlace = (index: number): string => `CAST($${first + index} AS TEXT)`;
  const toRow = (row: number): string =>
    `(${Array.from({ length: width }, (_, column) => toPlace(row * width + column)).join(', ')})`;
  const text = Array.from({ length: count }, (_, row) => toRow(row)).join(', ');
  kept.set(name, text);
  return text;
}
