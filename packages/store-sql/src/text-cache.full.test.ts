import { expect, it } from 'vitest';
import { TextCache } from './text-cache.ts';

it('creates a value once while it is cached', () => {
  const cache = new TextCache<object>({ maxLength: 2 });
  const value = cache.get('a', () => ({}));
  expect(cache.get('a', () => ({}))).toBe(value);
  expect(cache.length).toBe(1);
});

it('drops what is least recently used, and says so', () => {
  const [made, dropped]: [string[], string[]] = [[], []];
  const cache = new TextCache<string>({ maxLength: 2, onDrop: (value, text) => dropped.push(`${text}=${value}`) });
  const make = (text: string): string => {
    made.push(text);
    return text.toUpperCase();
  };
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) expect(cache.get(text, make)).toBe(text.toUpperCase());
  expect(made).toEqual(['a', 'b', 'c', 'b']);
  expect(dropped).toEqual(['b=B', 'c=C']);
  expect(cache.length).toBe(2);
});

it('keeps at most the length of all texts, however many there are', () => {
  const cache = new TextCache<string>({ maxLength: 1000 });
  for (let number = 0; number < 100_000; number += 1) {
    cache.get(`SELECT ${number}`, (text) => text);
    expect(cache.length).toBeLessThanOrEqual(1000);
  }
});

it('does not keep a text that alone is too long', () => {
  const cache = new TextCache<string>({ maxLength: 3 });
  expect(cache.get('long', () => 'value')).toBe('value');
  expect(cache.length).toBe(0);
});
