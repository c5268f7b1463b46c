import { expect, it } from 'vitest';
import { TextCache } from './text-cache.ts';

it('creates a value once while it is cached', () => {
  const cache = new TextCache<object>({ maxLength: 2 });
  const value = cache.get('a', () => ({}));
  expect(cache.get('a', () => ({}))).toBe(value);
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
});

it('keeps at most the length of all texts, however many there are', () => {
  let length = 0;
  const cache = new TextCache<string>({ maxLength: 1000, onDrop: (_, text) => (length -= text.length) });
  for (let number = 0; number < 100_000; number += 1) {
    const text = `SELECT ${number}`;
    length += text.length;
    cache.get(text, (same) => same);
    expect(length).toBeLessThanOrEqual(1000);
  }
});

it('does not keep a text that alone is too long', () => {
  const dropped: string[] = [];
  const cache = new TextCache<string>({ maxLength: 3, onDrop: (_, text) => dropped.push(text) });
  expect(cache.get('long', () => 'value')).toBe('value');
  expect(dropped).toEqual(['long']);
});
