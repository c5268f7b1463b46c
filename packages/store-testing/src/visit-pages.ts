import type { Page, PageRequest } from '@x/store';
import { expect } from 'vitest';

/** A list that is read page by page. */
export type List<Item> = (page: PageRequest) => Promise<Page<Item>>;

/** Follows the cursors of a list from the first page to the last. */
export async function visitPages<Item>(
  list: List<Item>,
  limit: number,
  betweenPages?: () => Promise<void>,
): Promise<readonly Item[]> {
  const visited: Item[] = [];
  let after: string | null = null;
  do {
    const page: Page<Item> = await list({ limit, after });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    visited.push(...page.items);
    expect(visited.length, 'items visited').toBeLessThanOrEqual(100);
    after = page.nextCursor;
    if (after !== null) expect(page.items).toHaveLength(limit);
    await betweenPages?.();
  } while (after !== null);
  return visited;
}

/** Texts that no store made as a cursor. */
export const forgedCursors: readonly string[] = [
  '',
  ' ',
  '.',
  'abc',
  'abc.',
  '.abc',
  'ABC.abc',
  'a.b.c',
  'a.b\n',
  '-1.abc',
  'zzzzzzzzzzz.abc',
  `1.${'x'.repeat(65)}`,
  "1.'; drop table events; --",
  '1.%',
  'é.é',
  '1.😀',
];
