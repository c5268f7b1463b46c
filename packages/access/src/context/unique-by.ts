/**
 * Keeps the last of the items with the same key. No type and no flag has a colon in its name, so a key can start with one
 * and go on with anything.
 */
export function uniqueBy<Item>(items: readonly Item[], toKey: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [toKey(item), item])).values()];
}
