import { expect, it } from 'vitest';
import { LruCache, toPositional } from './connection.ts';

it('replaces numbered parameters by positional ones, in the order of the text', () => {
  expect(toPositional('SELECT $2, $1')).toEqual({ text: 'SELECT +?, +?', order: [1, 0] });
});

it('accepts a number more than once, and with two digits', () => {
  expect(toPositional('SELECT $1, $11, $1')).toEqual({ text: 'SELECT +?, +?, +?', order: [0, 10, 0] });
});

it('leaves literals, quoted names and comments as they are', () => {
  const text = `SELECT '$1 it''s $2', "$3", "a""$4" -- $5 isn't
    /* $6 ' */ FROM t WHERE a = `;
  expect(toPositional(`${text}$1`)).toEqual({ text: `${text}+?`, order: [0] });
});

it('creates a value once while it is cached', () => {
  const map = new LruCache<string, object>(2);
  const value = map.get('a', () => ({}));
  expect(map.get('a', () => ({}))).toBe(value);
  expect(map.size).toBe(1);
});

it('drops the least recently used entry', () => {
  const map = new LruCache<string, string>(2);
  const made: string[] = [];
  const make = (key: string): string => {
    made.push(key);
    return key.toUpperCase();
  };
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(map.get(key, make)).toBe(key.toUpperCase());
  expect(made).toEqual(['a', 'b', 'c', 'b']);
  expect(map.size).toBe(2);
});
