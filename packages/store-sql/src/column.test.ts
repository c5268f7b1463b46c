import { expect, test } from 'vitest';

import { toDate, toDateOrNull, toJsonObject, toMillisecondsOrNull } from './column.ts';

test('a moment is read from a number and from the decimal text of a 64-bit integer', () => {
  expect(toDate(1767225600000)).toEqual(new Date('2026-01-01T00:00:00.000Z'));
  expect(toDate('1767225600000')).toEqual(new Date('2026-01-01T00:00:00.000Z'));
  expect(toDateOrNull('0')).toEqual(new Date(0));
});

test('no moment is null both ways', () => {
  expect(toDateOrNull(null)).toBeNull();
  expect(toMillisecondsOrNull(null)).toBeNull();
});

test('JSON is read from its text and parsed', () => {
  expect(toJsonObject('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(toJsonObject({ a: [1, null] })).toEqual({ a: [1, null] });
});
