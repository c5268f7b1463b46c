import { expect, it } from 'vitest';
import { randomBytes, randomCode, randomToken } from './random.ts';

it('creates tokens of 32 bytes, none of them twice', () => {
  const tokens = Array.from({ length: 100 }, () => randomToken());
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
  expect(randomToken(16)).toMatch(/^[\w-]{22}$/);
  expect(randomBytes(20)).toHaveLength(20);
});

it('creates codes with every character of an alphabet', () => {
  const code = randomCode('abc', 300);
  expect(code).toMatch(/^[abc]{300}$/);
  expect(new Set(code).size).toBe(3);
});
