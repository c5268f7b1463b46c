import type { QueryBounds } from '@x/store';
import type { QueryResult, SqlRow } from './sql-driver.ts';

/** Cuts rows after the one with which their texts become longer than the bound; always leaves one. */
export function cutRows(
  rows: Iterable<SqlRow>,
  { maxCharacters = Infinity }: Pick<QueryBounds, 'maxCharacters'>,
): QueryResult {
  if (maxCharacters === Infinity) return { rows: Array.isArray(rows) ? rows : [...rows], isCut: false };
  const kept: SqlRow[] = [];
  let characters = 0;
  for (const row of rows) {
    if (kept.length > 0 && characters >= maxCharacters) return { rows: kept, isCut: true };
    kept.push(row);
    characters += countCharacters(row);
  }
  return { rows: kept, isCut: false };
}

function countCharacters(row: SqlRow): number {
  let characters = 0;
  for (const name in row) {
    const cell = row[name];
    if (typeof cell === 'string') characters += cell.length;
  }
  return characters;
}
