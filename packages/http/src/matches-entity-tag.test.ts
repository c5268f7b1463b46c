import { expect, it } from 'vitest';
import { matchesEntityTag } from './matches-entity-tag.ts';

it.each(['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', '*', ' * '])('%s names the tag', (header) => {
  expect(matchesEntityTag(header, '"a"')).toBe(true);
});

it.each([undefined, '', '"b"', 'a', '"a', '"ab"', 'w/"a"'])('%s names another one, or none', (header) => {
  expect(matchesEntityTag(header, '"a"')).toBe(false);
});
