import { foldCase } from '@x/store/where';
import type Database from 'better-sqlite3';

/** Defines the function by which statements fold the case of texts: SQLite itself knows only the letters of ASCII. */
export function defineFoldCase(database: Database.Database): void {
  database.function('fold_case', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? foldCase(text) : null,
  );
}
