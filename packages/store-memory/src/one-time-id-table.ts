import { compareText } from './compare-text.ts';
import { Table } from './table.ts';

/** An id that was claimed. */
interface OneTimeIdRow {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Claimed ids, indexed by hash and ordered by expiry. */
export type OneTimeIdTable = Table<OneTimeIdRow, never, 'byEnd'>;

/** The single group of the index by expiry. */
export const everyId = '';

/** Creates an empty table of claimed ids. */
export function createOneTimeIdTable(): OneTimeIdTable {
  return new Table<OneTimeIdRow, never, 'byEnd'>({
    keyOf: ({ hash }) => hash,
    unique: {},
    ordered: {
      byEnd: { groupOf: () => everyId, compare: (a, b) => a.expiresAt - b.expiresAt || compareText(a.hash, b.hash) },
    },
  });
}
