import type { Pages } from '@x/client/cache';

/** Takes a record out of a list; undefined where it may stand on a page that was not read. */
export function withoutRow<Row extends { readonly id: string }>(pages: Pages<Row>, id: string): Pages<Row> | undefined {
  const items = pages.items.filter((row) => row.id !== id);
  if (items.length === pages.items.length) return pages.nextCursor === null ? pages : undefined;
  return { ...pages, items, total: pages.total === undefined ? undefined : pages.total - 1 };
}
