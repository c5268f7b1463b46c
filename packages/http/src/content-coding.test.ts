import { expect, it } from 'vitest';
import { negotiateCoding } from './content-coding.ts';

it.each([
  [undefined, null],
  ['', null],
  [' , ', null],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', null],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, gzip;q=0, *', null],
  ['gzip;q=0', null],
  ['gzip;q=0.000', null],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['br ; q=0.001', 'br'],
  ['gzip;q=0.5, identity', null],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip, identity;q=0', 'gzip'],
  ['identity;q=0', null],
  ['*;q=0', null],
  ['*;q=0, gzip', 'gzip'],
  ['gzip;q=0.2, *;q=0.8', 'br'],
  ['deflate, *;q=0.1', 'br'],
  ['identity, *;q=0.1', null],
  ['gzip;q=2', null],
  ['gzip;q=0.5;level=9', null],
  ['gzip;q=-1, br;q=abc', null],
  ['gzip;q=NaN', null],
  [`gzip${' '.repeat(50_000)};`, null],
])('of Accept-Encoding %j, chooses %s', (header, expected) => {
  expect(negotiateCoding(header, ['br', 'gzip'])).toBe(expected);
});

it('chooses only offered codings', () => {
  expect(negotiateCoding('br, gzip;q=0.1', ['gzip'])).toBe('gzip');
  expect(negotiateCoding('br', ['gzip'])).toBeNull();
});
