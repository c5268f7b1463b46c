import { addExactly, type ExactTotal, totalToText } from '@x/store/engine';
import { foldCase } from '@x/store/where';
import type Database from 'better-sqlite3';
import type { RowGuard } from './row-guard.ts';

/** Defines the functions that the statements of the stores call, and returns the database. */
export function defineFunctions(database: Database.Database, guard: RowGuard): Database.Database {
  database.function('is_in_time', guard.check);
  // SQLite itself folds only ASCII letters. A query with many searches folds the same text of a row for each of them.
  let [last, folded] = ['', ''];
  database.function('fold_case', { deterministic: true }, (text: unknown) => {
    if (typeof text !== 'string') return null;
    if (text !== last) [last, folded] = [text, foldCase(text)];
    return folded;
  });
  // Sums doubles as they are written in decimal, as a text; null if there are none. The sum of SQLite itself depends on
  // their order.
  database.aggregate('sum_exactly', {
    deterministic: true,
    start: (): ExactTotal => new Map(),
    step: (total: ExactTotal, value: unknown) => (typeof value === 'number' ? addExactly(total, value) : total),
    result: (total: ExactTotal) => (total.size === 0 ? null : totalToText(total)),
  });
  return database;
}
