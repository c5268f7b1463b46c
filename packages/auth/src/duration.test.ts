import { describe, expect, it } from 'vitest';
import { duration } from './duration.ts';

describe('duration', () => {
  it.each([
    [1, 1],
    ['500ms', 500],
    ['60s', 60_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['3650d', 315_360_000_000],
  ])('parses %j to %d ms', (text, milliseconds) => {
    expect(duration.parse(text)).toBe(milliseconds);
  });

  it.each([
    0,
    -1,
    1.5,
    Number.NaN,
    Infinity,
    2 ** 53,
    '',
    '60',
    '1w',
    '3651d',
    '-1s',
    '1.5s',
    '60 s',
    ' 60s',
    '0s',
    '9'.repeat(13) + 's',
    null,
  ])('refuses %j', (text) => {
    expect(duration.safeParse(text).success).toBe(false);
  });
});
