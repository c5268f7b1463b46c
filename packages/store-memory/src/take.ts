/** Returns the first items of a sequence, up to a count. */
export function take<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length >= count) break;
    taken.push(item);
  }
  return taken;
}
