import type { QueryBounds } from '@x/store';
import type { QueryResult, SqlRow } from './sql-executor.ts';

/** Cuts rows after the one with which their texts become longer than the bound; always leaves one. */
export function cutRows(
  rows: Iterable<SqlRow>,
  { maxCharacters = Infinity, uncounted }: Pick<QueryBounds, 'maxCharacters' | 'uncounted'>,
): QueryResult {
  if (maxCharacters === Infinity) return { rows: Array.isArray(rows) ? rows : [...rows], isCut: false };
  const kept: SqlRow[] = [];
  let characters = 0;
  for (const row of rows) {
    if (kept.length > 0 && characters >= maxCharacters) return { rows: kept, isCut: true };
    kept.push(row);
    characters += countCharacters(row, uncounted);
  }
  return { rows: kept, isCut: false };
}

function countCharacters(row: SqlRow, uncounted: QueryBounds['uncounted']): number {
  let characters = 0;
  for (const name in row) {
    const cell = row[name];
    if (typeof cell === 'string' && !uncounted?.has(name)) characters += cell.length;
  }
  return characters;
}
