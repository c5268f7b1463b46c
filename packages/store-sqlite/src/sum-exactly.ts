import { addExactly, type ExactTotal, totalToText } from '@x/store/engine';
import type Database from 'better-sqlite3';

/**
 * Defines the function that sums doubles as they are written in decimal, as a text; null if there are none. The sum of
 * SQLite itself depends on their order.
 */
export function defineSumExactly(database: Database.Database): void {
  database.aggregate('sum_exactly', {
    deterministic: true,
    start: (): ExactTotal => new Map(),
    step: (total: ExactTotal, value: unknown) => (typeof value === 'number' ? addExactly(total, value) : total),
    result: (total: ExactTotal) => (total.size === 0 ? null : totalToText(total)),
  });
}
