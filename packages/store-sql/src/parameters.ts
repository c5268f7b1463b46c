import type { SqlValue } from './sql-executor.ts';

/** Collects the values of a statement while its text is built. */
export class Parameters {
  readonly #values: SqlValue[] = [];

  /** The values so far, in the order of their numbers. */
  get values(): readonly SqlValue[] {
    return this.#values;
  }

  /** Binds a value and returns its placeholder: `$1`, `$2`, … */
  readonly bind = (value: SqlValue): string => `$${this.#values.push(value)}`;
}

/** Binds a value of a statement and returns its placeholder: `$1`, `$2`, … */
export type Bind = (value: SqlValue) => string;

/**
 * Writes rows of texts, at least one, for use after `VALUES`. The last row is repeated until their number is a power of
 * two, so that there are few different texts: engines cache statements by their text. The casts give an engine the
 * types, which it would otherwise have to guess.
 */
export function toValuesList(rows: readonly (readonly SqlValue[])[], bind: Bind): string {
  const last = rows.at(-1);
  if (!last) throw new TypeError('A VALUES list needs at least one row.');
  const count = 2 ** Math.ceil(Math.log2(rows.length));
  const padded = Array.from({ length: count }, (_, index) => rows[index] ?? last);
  return padded.map((row) => `(${row.map((value) => `CAST(${bind(value)} AS TEXT)`).join(', ')})`).join(', ');
}
