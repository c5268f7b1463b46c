import type { UserId } from '@x/store';
import { and, atPath, contains, eq, granted, isIn, isNull, lt, ne, not, or, related, type Where } from '@x/store/where';
import { expect, it } from 'vitest';

import type { SqlDialect } from '../sql-dialect.ts';
import { compileWhere, quoteIdentifier, type SqlColumn } from './compile-where.ts';
import { Parameters } from '../parameters.ts';

const columns = new Map<string, SqlColumn>([
  ['title', { sql: '"title"', type: 'text' }],
  ['count', { sql: '"count"', type: 'integer' }],
  ['ratio', { sql: '"ratio"', type: 'number' }],
  ['detail', { sql: '"detail"', type: 'json' }],
]);

const dialect: Pick<SqlDialect, 'textOperators' | 'toList' | 'in' | 'isOneOf' | 'rowGuard' | 'jsonAtPath'> = {
  textOperators: {
    contains: (text, part) => `${text} has ${part}`,
    startsWith: (text, part) => `${text} starts ${part}`,
    endsWith: (text, part) => `${text} ends ${part}`,
  },
  toList: (values) => JSON.stringify(values),
  in: (_type, list) => `in ${list}`,
  isOneOf: (query) => `in (${query})`,
  rowGuard: () => '',
  jsonAtPath: (column, { path, as }, bind) => `${column} at ${bind(path.join('/'))} as ${as}`,
};

const id: SqlColumn = { sql: '"id"', type: 'text' };

type RelatedTable = { readonly sql: string; readonly id: SqlColumn; readonly columns: ReadonlyMap<string, SqlColumn> };

const findTable = (entity: string): RelatedTable => ({
  sql: quoteIdentifier(entity),
  id,
  columns: new Map([['name', { sql: '"name"', type: 'text' }]]),
});

function compile(where: Where): readonly [string, ...unknown[]] {
  const parameters = new Parameters();
  const text = compileWhere(where, { columns, findTable, dialect: dialect as SqlDialect, bind: parameters.bind });
  return [text, ...parameters.values];
}

it('binds every value and takes names from the columns alone', () => {
  const hostile = `'; DROP TABLE "x"; --`;
  expect(
    compile(and(ne('title', hostile), not(contains('title', hostile)), or(isIn('count', [1, 2]), isNull('detail')))),
  ).toEqual([
    '(("title" <> $1) AND NOT (("title" has $2)) AND (("count" in $3) OR ("detail" IS NULL)))',
    hostile,
    hostile,
    '[1,2]',
  ]);
});

it('asks in the same query which resources are granted', () => {
  const rule = { parent: { type: 'project', role: 'manager' }, child: { type: 'task', role: 'editor' } };
  const resources = { userId: 'user-1' as UserId, type: 'task', roles: ['editor'], inheritance: [rule] };
  const [text, ...values] = compile(granted('title', resources));
  expect(text).toMatch(/^\("title" IS NOT NULL AND "title" IN \(\s+WITH RECURSIVE rule /);
  expect(text).not.toMatch(/project|manager|task|editor|user-1/);
  expect(values).toHaveLength(new Set(text.match(/\$\d+/g)).size);
  expect(compile(granted('title', { ...resources, roles: [] }))).toHaveLength(1);
});

it('moves negations inwards, to the comparisons of another table', () => {
  const condition = related('title', { entity: 'projects', readable: ne('name', 'a'), where: eq('name', 'b') });
  const [text, ...values] = compile(not(and(eq('count', 1), not(not(condition)))));
  expect(text).toBe(
    '(NOT (("count" = $1)) OR ("title" IN (SELECT "id" FROM "projects" WHERE (("name" <> $2) AND NOT (("name" = $3))))))',
  );
  expect(values).toEqual([1, 'a', 'b']);
});

it('binds the path to a value in JSON, and moves negations to the comparisons there', () => {
  const path = ["a'", '"b"'];
  const within = atPath('detail', { path, as: 'number' }, (value) => or(lt(value, 1), eq(value, 2)));
  expect(compile(not(within))).toEqual([
    '(NOT (("detail" at $1 as number < $2)) AND NOT (("detail" at $1 as number = $3)))',
    'a\'/"b"',
    1,
    2,
  ]);
  expect(compile(atPath('detail', { path, as: 'text' }, (value) => isIn(value, [])))).toEqual(['FALSE']);
});

it('is true or false if there is nothing to ask', () => {
  expect(compile({ type: 'and', operands: [] })).toEqual(['TRUE']);
  expect(compile({ type: 'or', operands: [] })).toEqual(['FALSE']);
  expect(compile(isIn('title', []))).toEqual(['FALSE']);
});

it.for<Where>([
  eq('title"', 'x'),
  eq('__proto__', 'x'),
  isNull('constructor'),
  eq('title', 1),
  eq('count', 1.5),
  eq('count', 2 ** 53),
  lt('ratio', Number.NaN),
  eq('detail', '{}'),
  eq('title', { column: 'count' }),
  eq('detail', { column: 'detail' }),
  isIn('ratio', [1, Number.POSITIVE_INFINITY]),
  contains('count', '1'),
  atPath('title', { path: ['a'], as: 'text' }, isNull),
  atPath('detail', { path: ['a'], as: 'json' }, (value) => eq(value, 'x')),
  atPath('detail', { path: ['a'], as: 'number' }, (value) => eq(value, 'x')),
  atPath('detail', { path: ['a'], as: 'text' }, () => isNull('title')),
])('refuses %j', (where) => {
  expect(() => compile(where)).toThrow(TypeError);
});

it('quotes identifiers', () => {
  expect(quoteIdentifier('a"b')).toBe('"a""b"');
});
