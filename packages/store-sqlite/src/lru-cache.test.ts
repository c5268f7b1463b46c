import { expect, it } from 'vitest';

import { LruCache } from './lru-cache.ts';

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
