import type { ColumnType } from '@x/store';
import type { WhereValue } from '@x/store/where';

/** A column of a table, as used in statements. */
export interface SqlColumn {
  /** The quoted identifier. It comes from a model, never from a caller. */
  readonly sql: string;
  readonly type: ColumnType;
}

/** Quotes an identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const fits: Readonly<Record<ColumnType, (value: WhereValue) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  timestamp: Number.isSafeInteger,
  json: () => false,
};

/**
 * Asserts that a column can be compared with a value. Callers' values have been validated against the model long
 * before.
 *
 * @throws TypeError if it can't
 */
export function assertComparable({ sql, type }: SqlColumn, value: WhereValue): void {
  if (!fits[type](value)) throw new TypeError(`The ${type} column ${sql} can't be compared with this ${typeof value}.`);
}
