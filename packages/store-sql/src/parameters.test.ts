import { expect, it } from 'vitest';
import { Parameters, toValuesList } from './parameters.ts';

it('numbers rows after what is bound already', () => {
  const parameters = new Parameters();
  parameters.bind('first');
  expect(toValuesList([['a', 'b']], parameters.bind)).toBe('(CAST($2 AS TEXT), CAST($3 AS TEXT))');
  expect(parameters.values).toEqual(['first', 'a', 'b']);
});

it('repeats the last row up to a power of two', () => {
  const [three, four] = [new Parameters(), new Parameters()];
  const text = toValuesList([['a'], ['b'], ['c']], three.bind);
  expect(text).toBe('(CAST($1 AS TEXT)), (CAST($2 AS TEXT)), (CAST($3 AS TEXT)), (CAST($4 AS TEXT))');
  expect(three.values).toEqual(['a', 'b', 'c', 'c']);
  expect(toValuesList([['a'], ['b'], ['c'], ['d']], four.bind)).toBe(text);
});

it('refuses a list of no rows', () => {
  expect(() => toValuesList([], new Parameters().bind)).toThrow(TypeError);
});
