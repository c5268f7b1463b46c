import type { Pages } from '@x/client/cache';

/** Takes a record out of a list; undefined where it may stand on a page that was not read. */
export function withoutRow<Row extends { readonly id: string }>(pages: Pages<Row>, id: string): Pages<Row> | undefined {
  const items = pages.items.filter((row) => row.id !== id);
  if (items.length === pages.items.length) return pages.nextCursor === null ? pages : undefined;
  return addToTotal({ ...pages, items }, -1);
}

/** Puts a new record first into a list that has the newest first; undefined where another one is as new. */
export function withNewest<Row extends { readonly createdAt: string }>(
  pages: Pages<Row>,
  row: Row,
): Pages<Row> | undefined {
  const [first] = pages.items;
  if (first && first.createdAt >= row.createdAt) return undefined;
  return addToTotal({ ...pages, items: [row, ...pages.items] }, 1);
}

/** Puts a changed record where it stands in a list that it cannot leave or move in; undefined where it may enter. */
export function withRow<Written extends Changed, Row extends Written>(
  pages: Pages<Row>,
  written: Written,
): Pages<Row & Written> | undefined {
  const shown = pages.items.find(({ id }) => id === written.id);
  const merged = shown && mergeRecord(shown, written);
  return merged && { ...pages, items: pages.items.map((row) => (row === shown ? merged : row)) };
}

interface Changed {
  readonly id: string;
  readonly updatedAt: string;
}

/** Puts what a write has returned into a record; undefined where it is as new, as responses may come in any order. */
export function mergeRecord<Written extends Pick<Changed, 'updatedAt'>, Shown extends Written>(
  shown: Shown,
  written: Written,
): (Shown & Written) | undefined {
  return shown.updatedAt < written.updatedAt ? { ...shown, ...written } : undefined;
}

/** Counts records that a list has got, or lost. */
export function addToTotal<Row>(pages: Pages<Row>, difference: number): Pages<Row> {
  return { ...pages, total: pages.total === undefined ? undefined : pages.total + difference };
}
