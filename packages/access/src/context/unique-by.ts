/**
 * Keeps the last of the items with the same key. Names of types and flags contain no colon, so a key can start with one
 * and continue with any text.
 */
export function uniqueBy<Item>(items: readonly Item[], toKey: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [toKey(item), item])).values()];
}
