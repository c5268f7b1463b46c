import { expect, test } from 'vitest';
import { toValuesList } from './values-list.ts';

test('rows are numbered from where the caller says', () => {
  expect(toValuesList([['a', 'b']], 2)).toEqual({
    text: '(CAST($2 AS TEXT), CAST($3 AS TEXT))',
    values: ['a', 'b'],
  });
});

test('the last row is repeated up to a power of two', () => {
  const { text, values } = toValuesList([['a'], ['b'], ['c']], 1);
  expect(text).toBe('(CAST($1 AS TEXT)), (CAST($2 AS TEXT)), (CAST($3 AS TEXT)), (CAST($4 AS TEXT))');
  expect(values).toEqual(['a', 'b', 'c', 'c']);
  expect(toValuesList([['a'], ['b'], ['c'], ['d']], 1).text).toBe(text);
});

test('there is no list of no rows', () => {
  expect(() => toValuesList([], 1)).toThrow(TypeError);
});
