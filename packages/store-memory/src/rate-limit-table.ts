import { compareText } from './compare-text.ts';
import { Table } from './table.ts';

/** The window of one key that is under way, or was. */
export interface RateLimitRow {
  readonly key: string;
  /** The attempts, to one above those that were allowed and no further. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly resetsAt: number;
}

/** Windows, found by key, and all of them visited the first to end first. */
export type RateLimitTable = Table<RateLimitRow, never, 'byEnd'>;

/** The one group of the index by end. */
export const everyWindow = '';

/** Creates an empty table of windows. */
export function createRateLimitTable(): RateLimitTable {
  return new Table({
    keyOf: (window) => window.key,
    unique: {},
    ordered: {
      byEnd: {
        groupOf: () => everyWindow,
        compare: (a, b) => a.resetsAt - b.resetsAt || compareText(a.key, b.key),
      },
    },
  });
}
