/** Returns at most `count` items from the start of a sequence. */
export function take<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length >= count) break;
    taken.push(item);
  }
  return taken;
}
