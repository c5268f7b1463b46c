/** Visits the items of two sorted sequences in one order. */
export function* mergeSorted<Item>(
  first: Iterable<Item>,
  second: Iterable<Item>,
  compare: (a: Item, b: Item) => number,
): Generator<Item> {
  const others = second[Symbol.iterator]();
  let other = others.next();
  for (const item of first) {
    for (; !other.done && compare(other.value, item) < 0; other = others.next()) yield other.value;
    yield item;
  }
  for (; !other.done; other = others.next()) yield other.value;
}
