import { expect, it } from 'vitest';
import { Table } from './table.ts';
import { compareText } from './values.ts';

interface Row {
  readonly key: string;
  readonly name: string | null;
  readonly group: string | null;
}

const createTable = (): Table<Row, 'name', 'group'> =>
  new Table<Row, 'name', 'group'>({
    keyOf: (row) => row.key,
    unique: { name: (row) => row.name },
    ordered: { group: { groupOf: (row) => row.group, compare: (a, b) => compareText(a.key, b.key) } },
  });

const keysOf = (rows: Iterable<Row>): readonly string[] => [...rows].map((row) => row.key);

it('removes a replaced row from its old places in the indexes', () => {
  const table = createTable();
  table.insert({ key: 'a', name: 'one', group: 'x' });
  table.put({ key: 'a', name: 'two', group: 'y' });
  expect(table.find('name', 'one')).toBeUndefined();
  expect(table.find('name', 'two')).toEqual({ key: 'a', name: 'two', group: 'y' });
  expect(keysOf(table.select('group', 'x'))).toEqual([]);
  expect(keysOf(table.select('group', 'y'))).toEqual(['a']);
  expect(table.size).toBe(1);
});

it('finds a replaced row in the places that have not changed', () => {
  const table = createTable();
  for (const key of ['a', 'b', 'c']) table.insert({ key, name: key, group: 'x' });
  const replaced = { key: 'b', name: 'b', group: 'x' };
  table.put(replaced);
  expect(table.get('b')).toBe(replaced);
  expect(table.find('name', 'b')).toBe(replaced);
  expect([...table.select('group', 'x')][1]).toBe(replaced);
  expect(table.size).toBe(3);
  table.delete('b');
  expect(table.find('name', 'b')).toBeUndefined();
  expect(keysOf(table.select('group', 'x'))).toEqual(['a', 'c']);
});

it('finds rows without a value or a group by their key alone', () => {
  const table = createTable();
  table.insert({ key: 'a', name: null, group: null });
  table.insert({ key: 'b', name: null, group: null });
  expect(table.get('b')).toEqual({ key: 'b', name: null, group: null });
  table.delete('b');
  expect(table.get('b')).toBeUndefined();
  expect(table.size).toBe(1);
});

it('refuses to insert a key twice, also in an overlay', () => {
  const table = createTable();
  table.insert({ key: 'a', name: null, group: null });
  expect(() => table.insert({ key: 'a', name: null, group: null })).toThrow(TypeError);
  expect(() => table.overlay().insert({ key: 'a', name: null, group: null })).toThrow(TypeError);
});

it('shows the changes of an overlay merged with the table below, which stays as it is', () => {
  const table = createTable();
  for (const key of ['a', 'c', 'e', 'g']) table.insert({ key, name: `below ${key}`, group: 'x' });
  const overlay = table.overlay();
  overlay.delete('a');
  overlay.put({ key: 'c', name: 'above c', group: 'y' });
  overlay.put({ key: 'e', name: 'above e', group: 'x' });
  for (const key of ['d', 'z']) overlay.insert({ key, name: null, group: 'x' });
  expect(keysOf(overlay.select('group', 'x'))).toEqual(['d', 'e', 'g', 'z']);
  expect(keysOf(overlay.select('group', 'x', (row) => row.key <= 'e'))).toEqual(['g', 'z']);
  expect(overlay.find('name', 'below c')).toBeUndefined();
  expect(overlay.find('name', 'above c')).toMatchObject({ key: 'c' });
  expect(overlay.find('name', 'below a')).toBeUndefined();
  expect(overlay.find('name', 'below g')).toMatchObject({ key: 'g' });
  expect([table.size, overlay.size]).toEqual([4, 5]);
  expect(keysOf(table.select('group', 'x'))).toEqual(['a', 'c', 'e', 'g']);
});

it('commits all changes of an overlay, also through another overlay', () => {
  const table = createTable();
  for (const key of ['a', 'b', 'c']) table.insert({ key, name: key, group: 'x' });
  const middle = table.overlay();
  middle.delete('a');
  const top = middle.overlay();
  top.insert({ key: 'a', name: 'again', group: 'x' });
  top.delete('b');
  top.put({ key: 'c', name: 'b', group: 'x' });
  top.commit();
  expect(keysOf(middle.select('group', 'x'))).toEqual(['a', 'c']);
  expect(keysOf(table.select('group', 'x'))).toEqual(['a', 'b', 'c']);
  middle.commit();
  expect(keysOf(table.select('group', 'x'))).toEqual(['a', 'c']);
  expect(table.find('name', 'b')).toMatchObject({ key: 'c' });
  expect(table.find('name', 'again')).toMatchObject({ key: 'a' });
  expect(table.size).toBe(2);
});

it('gives a unique value to the row that took it over in an overlay', () => {
  const table = createTable();
  table.insert({ key: 'a', name: 'wanted', group: null });
  table.insert({ key: 'b', name: 'other', group: null });
  const overlay = table.overlay();
  // The commit meets `b` first, while `a` still holds the value below.
  overlay.put({ key: 'b', name: 'wanted', group: null });
  overlay.put({ key: 'a', name: 'free', group: null });
  overlay.commit();
  expect(table.find('name', 'wanted')).toMatchObject({ key: 'b' });
  expect(table.find('name', 'free')).toMatchObject({ key: 'a' });
});
