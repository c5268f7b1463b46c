import { foldCase } from '@x/store/where';
import type Database from 'better-sqlite3';

/** Defines the function by which statements fold the case of texts. SQLite itself folds only ASCII letters. */
export function defineFoldCase(database: Database.Database): void {
  // A query with many searches folds the same text of a row for each of them.
  let [last, folded] = ['', ''];
  database.function('fold_case', { deterministic: true }, (text: unknown) => {
    if (typeof text !== 'string') return null;
    if (text !== last) [last, folded] = [text, foldCase(text)];
    return folded;
  });
}
