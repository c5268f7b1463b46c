import { describe, expect, it } from 'vitest';
import type { UserId } from '../values.ts';
import { matches } from './matches.ts';
import { atPath, eq, isNull, type JsonType, ne, type Where, type WhereValue } from './where.ts';

const row = {
  title: 'Ärger 100%',
  count: 3,
  done: false,
  at: new Date('2026-01-01T00:00:00.000Z'),
  none: null,
  detail: { a: 1 },
};

const unknown: Where = { type: 'compare', column: 'none', operator: 'eq', value: 'x' };
const always: Where = { type: 'constant', value: true };
const never: Where = { type: 'constant', value: false };

/**
 * The truth of a condition for the row: its negation matches where it is false, and neither does where it is unknown.
 */
function truth(where: Where): boolean | null {
  const [isTrue, isFalse] = [matches(where, row), matches({ type: 'not', operand: where }, row)];
  expect(isTrue && isFalse).toBe(false);
  return isTrue || isFalse ? isTrue : null;
}

function compare(column: string, operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte', value: WhereValue): Where {
  return { type: 'compare', column, operator, value };
}

it('has the truth tables of SQL', () => {
  const values = [always, never, unknown];
  const table = (type: 'and' | 'or'): unknown =>
    values.map((a) => values.map((b) => truth({ type, operands: [a, b] })));
  expect(table('and')).toEqual([
    [true, false, null],
    [false, false, false],
    [null, false, null],
  ]);
  expect(table('or')).toEqual([
    [true, true, true],
    [true, false, null],
    [true, null, null],
  ]);
  expect(values.map((operand) => truth({ type: 'not', operand }))).toEqual([false, true, null]);
  expect(truth({ type: 'and', operands: [] })).toBe(true);
  expect(truth({ type: 'or', operands: [] })).toBe(false);
});

it('is unknown for a null column, except for isNull', () => {
  for (const operator of ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const) {
    expect(truth(compare('none', operator, ''))).toBeNull();
  }
  expect(truth({ type: 'text', column: 'none', operator: 'contains', value: '' })).toBeNull();
  expect(truth({ type: 'in', column: 'none', values: ['x'] })).toBeNull();
  expect(truth({ type: 'compare', column: 'title', operator: 'eq', value: { column: 'none' } })).toBeNull();
  expect(truth({ type: 'in', column: 'none', values: [] })).toBe(false);
  expect(truth({ type: 'isNull', column: 'none' })).toBe(true);
  expect(truth({ type: 'isNull', column: 'detail' })).toBe(false);
});

it('compares numbers, booleans and moments', () => {
  expect(truth(compare('count', 'gte', 3))).toBe(true);
  expect(truth(compare('count', 'lt', 2 ** 60))).toBe(true);
  expect(truth(compare('count', 'gt', -0))).toBe(true);
  expect(truth(compare('done', 'lt', true))).toBe(true);
  expect(truth(compare('at', 'eq', Date.UTC(2026, 0)))).toBe(true);
  expect(truth({ type: 'in', column: 'at', values: [0, Date.UTC(2026, 0)] })).toBe(true);
  expect(truth({ type: 'in', column: 'count', values: [1, 2] })).toBe(false);
});

it('searches texts literally and case-sensitively', () => {
  const find = (operator: 'contains' | 'startsWith' | 'endsWith', value: string): boolean | null =>
    truth({ type: 'text', column: 'title', operator, value });
  expect(find('contains', '0%')).toBe(true);
  expect(find('contains', '1%0')).toBe(false);
  expect(find('startsWith', 'Ä')).toBe(true);
  expect(find('startsWith', 'ä')).toBe(false);
  expect(find('endsWith', '_')).toBe(false);
  expect(find('endsWith', '')).toBe(true);
});

describe('the value at a path in JSON', () => {
  const json = {
    detail: { list: ['a', { b: 2 }, null], '0': 'zero', '-1': 'minus', done: true, none: null, deep: { '': 'empty' } },
    text: 'a',
    missing: null,
  };
  const read = (column: keyof typeof json, path: string, as: JsonType): unknown => {
    const candidates = ['a', 'zero', 'minus', 'empty', 2, true];
    const type = { text: 'string', number: 'number', boolean: 'boolean', json: 'none' }[as];
    const equals = (value: WhereValue): Where => atPath(column, { path: path.split('.'), as }, (at) => eq(at, value));
    return candidates.filter((value) => typeof value === type).find((value) => matches(equals(value), json)) ?? null;
  };
  const truthAt = (path: string, as: JsonType, toWhere: (value: string) => Where): boolean | null => {
    const where = atPath('detail', { path: path.split('.'), as }, toWhere);
    const [isTrue, isFalse] = [matches(where, json), matches({ type: 'not', operand: where }, json)];
    return isTrue || isFalse ? isTrue : null;
  };

  it('is that of a member or of a position in a list', () => {
    expect(read('detail', 'list.0', 'text')).toBe('a');
    expect(read('detail', 'list.1.b', 'number')).toBe(2);
    expect(read('detail', '0', 'text')).toBe('zero');
    expect(read('detail', '-1', 'text')).toBe('minus');
    expect(read('detail', 'deep.', 'text')).toBe('empty');
    expect(read('detail', 'done', 'boolean')).toBe(true);
  });

  it('is null where it is missing, null or of another type', () => {
    const isOther = (value: string): Where => ne(value, 7);
    const isOtherText = (value: string): Where => ne(value, 'x');
    const missing = ['nothing', 'none', 'list.2', 'list.3', 'list', 'list.0', 'done.0', 'constructor', 'list.length'];
    expect(missing.filter((path) => truthAt(path, 'number', isOther) !== null)).toEqual([]);
    const noPositions = ['list.-1', 'list.00', 'list.+0', 'list. 0', 'list.0.0'];
    expect(noPositions.filter((path) => truthAt(path, 'text', isOtherText) !== null)).toEqual([]);
    expect(matches(atPath('missing', { path: ['a'], as: 'text' }, isOtherText), json)).toBe(false);
    expect(matches(atPath('text', { path: ['0'], as: 'text' }, isOtherText), json)).toBe(false);
  });

  it('may be asked for at all, whatever its type is', () => {
    expect(truthAt('list', 'json', isNull)).toBe(false);
    expect(truthAt('done', 'json', isNull)).toBe(false);
    expect(truthAt('none', 'json', isNull)).toBe(true);
    expect(truthAt('nothing.at.all', 'json', isNull)).toBe(true);
    expect(matches(atPath('missing', { path: ['a'], as: 'json' }, isNull), json)).toBe(true);
  });
});

it('asks the store which resources are granted', () => {
  const resources = { userId: 'user-1' as UserId, type: 'task', roles: ['editor'], inheritance: [] };
  const isGranted = (column: string): Where => ({ type: 'granted', column, resources });
  const list =
    (...ids: readonly string[]) =>
    (_: unknown, id: string) =>
      ids.includes(id);
  expect(matches(isGranted('title'), row, { isGranted: list('Ärger 100%') })).toBe(true);
  expect(matches({ type: 'not', operand: isGranted('title') }, row, { isGranted: list('other') })).toBe(true);
  expect(matches({ type: 'not', operand: isGranted('none') }, row, { isGranted: list('other') })).toBe(true);
  expect(() => matches(isGranted('count'), row, { isGranted: list('3') })).toThrow(TypeError);
  expect(() => matches(isGranted('title'), row)).toThrow(TypeError);
});

it('throws for values that no condition may compare', () => {
  expect(() => matches(compare('missing', 'eq', 1), row)).toThrow(TypeError);
  expect(() => matches(compare('__proto__', 'eq', 1), row)).toThrow(TypeError);
  expect(() => matches(compare('count', 'eq', '3'), row)).toThrow(TypeError);
  expect(() => matches(compare('detail', 'eq', '{}'), row)).toThrow(TypeError);
  expect(() => matches({ type: 'text', column: 'count', operator: 'contains', value: '3' }, row)).toThrow(TypeError);
});
