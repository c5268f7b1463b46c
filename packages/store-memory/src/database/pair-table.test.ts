import { expect, it } from 'vitest';
import { PairTable } from './pair-table.ts';

interface Value {
  readonly name: string;
}

const filled = (...pairs: readonly (readonly [string, string])[]): PairTable<Value> => {
  const table = new PairTable<Value>();
  for (const [first, second] of pairs) table.put(first, second, { name: `${first}${second}` });
  return table;
};

const namesOf = (values: Iterable<Value>): readonly string[] => [...values].map(({ name }) => name).toSorted();

it('finds values by both keys and lists them by either', () => {
  const table = filled(['a', '1'], ['a', '2'], ['b', '1']);
  expect(table.get('a', '2')).toEqual({ name: 'a2' });
  expect(table.get('2', 'a')).toBeUndefined();
  expect(namesOf(table.selectFirst('a'))).toEqual(['a1', 'a2']);
  expect(namesOf(table.selectSecond('1'))).toEqual(['a1', 'b1']);
  expect(namesOf(table.selectFirst('c'))).toEqual([]);
});

it('no longer finds a deleted pair, which can be added again', () => {
  const table = filled(['a', '1'], ['a', '2']);
  table.delete('a', '1');
  table.delete('a', 'none');
  expect(table.get('a', '1')).toBeUndefined();
  expect(namesOf(table.selectFirst('a'))).toEqual(['a2']);
  expect(namesOf(table.selectSecond('1'))).toEqual([]);
  table.put('a', '1', { name: 'again' });
  expect(namesOf(table.selectSecond('1'))).toEqual(['again']);
});

it('shows the changes of an overlay, and leaves the table below as it is until the commit', () => {
  const table = filled(['a', '1'], ['a', '2'], ['b', '1']);
  const middle = table.overlay();
  middle.delete('a', '1');
  middle.put('a', '2', { name: 'changed' });
  const top = middle.overlay();
  top.put('a', '3', { name: 'a3' });
  top.delete('b', '1');
  expect(namesOf(top.selectFirst('a'))).toEqual(['a3', 'changed']);
  expect(namesOf(top.selectSecond('1'))).toEqual([]);
  expect(top.get('a', '1')).toBeUndefined();
  expect(namesOf(middle.selectSecond('1'))).toEqual(['b1']);
  expect(namesOf(table.selectFirst('a'))).toEqual(['a1', 'a2']);
  top.commit();
  expect(namesOf(middle.selectFirst('a'))).toEqual(['a3', 'changed']);
  middle.commit();
  expect(namesOf(table.selectFirst('a'))).toEqual(['a3', 'changed']);
  expect(namesOf(table.selectSecond('1'))).toEqual([]);
});

it('stores false like any other value', () => {
  const table = new PairTable<boolean>();
  table.put('a', '1', false);
  expect(table.get('a', '1')).toBe(false);
  expect(table.overlay().get('a', '1')).toBe(false);
  expect([...table.overlay().selectFirst('a')]).toEqual([false]);
});
