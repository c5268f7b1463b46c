import type { SqlValue } from '../sql-driver.ts';

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
