import { compareText } from './compare-text.ts';
import { Table } from './table.ts';

/** An id that was used up. */
interface OneTimeIdRow {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Ids that were used up, found by hash, and all of them visited the first to end first. */
export type OneTimeIdTable = Table<OneTimeIdRow, never, 'byEnd'>;

/** The one group of the index by end. */
export const everyId = '';

/** Creates an empty table of ids that were used up. */
export function createOneTimeIdTable(): OneTimeIdTable {
  return new Table<OneTimeIdRow, never, 'byEnd'>({
    keyOf: ({ hash }) => hash,
    unique: {},
    ordered: {
      byEnd: { groupOf: () => everyId, compare: (a, b) => a.expiresAt - b.expiresAt || compareText(a.hash, b.hash) },
    },
  });
}
