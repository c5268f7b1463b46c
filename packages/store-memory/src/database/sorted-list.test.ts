import { expect, it } from 'vitest';
import { SortedList } from './sorted-list.ts';

interface Item {
  readonly rank: number;
}

const compare = (a: Item, b: Item): number => a.rank - b.rank;

/** A permutation of the ranks from 0 to below `count`, the same on every run. */
const shuffledItems = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, index) => ({ rank: (index * 7919) % count }));

const ranksOf = (items: Iterable<Item>): readonly number[] => [...items].map((item) => item.rank);

it('keeps items in order, in any order of adding', () => {
  const list = new SortedList<Item>(compare);
  for (const item of shuffledItems(5000)) list.add(item);
  expect(ranksOf(list.from(() => false))).toEqual(Array.from({ length: 5000 }, (_, rank) => rank));
});

it('starts a visit at the first item that is not before, in whichever block it is', () => {
  const list = new SortedList<Item>(compare);
  for (const item of shuffledItems(3000)) list.add(item);
  for (const start of [0, 1, 511, 512, 513, 1500, 2999]) {
    const ranks = ranksOf(list.from((item) => item.rank < start));
    expect(ranks[0]).toBe(start);
    expect(ranks).toHaveLength(3000 - start);
  }
  expect(ranksOf(list.from(() => true))).toEqual([]);
});

it('removes exactly the items that it is asked to', () => {
  const list = new SortedList<Item>(compare);
  const items = shuffledItems(3000);
  for (const item of items) list.add(item);
  for (const item of items) if (item.rank % 3 !== 0) list.remove(item);
  expect(ranksOf(list.from(() => false))).toEqual(Array.from({ length: 1000 }, (_, index) => index * 3));
  list.remove({ rank: 1 });
  list.remove({ rank: 0 });
  for (const item of items) list.remove(item);
  expect(list.isEmpty).toBe(true);
  expect(ranksOf(list.from(() => false))).toEqual([]);
});
