import type { UserId, Where } from '@x/store';
import { expect, it } from 'vitest';

import type { SqlDialect } from '../sql-driver.ts';
import { compileWhere } from './compile-where.ts';
import { Parameters } from './parameters.ts';
import { quoteIdentifier, type SqlColumn } from './sql-column.ts';

const columns = new Map<string, SqlColumn>([
  ['title', { sql: '"title"', type: 'text' }],
  ['count', { sql: '"count"', type: 'integer' }],
  ['ratio', { sql: '"ratio"', type: 'number' }],
  ['detail', { sql: '"detail"', type: 'json' }],
]);

const dialect: Pick<SqlDialect, 'textOperators' | 'toList' | 'in'> = {
  textOperators: {
    contains: (text, part) => `${text} has ${part}`,
    startsWith: (text, part) => `${text} starts ${part}`,
    endsWith: (text, part) => `${text} ends ${part}`,
  },
  toList: (values) => JSON.stringify(values),
  in: (_type, list) => `among ${list}`,
};

function compile(where: Where): readonly [string, ...unknown[]] {
  const parameters = new Parameters();
  const text = compileWhere(where, { columns, dialect: dialect as SqlDialect, bind: parameters.bind });
  return [text, ...parameters.values];
}

it('binds every value and takes names from the columns alone', () => {
  const hostile = `'; DROP TABLE "x"; --`;
  expect(
    compile({
      type: 'and',
      operands: [
        { type: 'compare', column: 'title', operator: 'ne', value: hostile },
        { type: 'not', operand: { type: 'text', column: 'title', operator: 'contains', value: hostile } },
        {
          type: 'or',
          operands: [
            { type: 'in', column: 'count', values: [1, 2] },
            { type: 'isNull', column: 'detail' },
          ],
        },
      ],
    }),
  ).toEqual([
    '(("title" <> $1) AND NOT (("title" has $2)) AND (("count" among $3) OR ("detail" IS NULL)))',
    hostile,
    hostile,
    '[1,2]',
  ]);
});

it('asks in the same query which resources are held', () => {
  const hop = { parent: { type: 'project', role: 'manager' }, child: { type: 'task', role: 'editor' } };
  const resources = { userId: 'user-1' as UserId, type: 'task', roles: ['editor'], inheritance: [hop] };
  const [text, ...values] = compile({ type: 'granted', column: 'title', resources });
  expect(text).toMatch(/^\("title" IS NOT NULL AND "title" IN \(\s+WITH RECURSIVE hop /);
  expect(text).not.toMatch(/project|manager|task|editor|user-1/);
  expect(values).toHaveLength(text.match(/\$\d+/g)?.length ?? 0);
  expect(compile({ type: 'granted', column: 'title', resources: { ...resources, roles: [] } })).toHaveLength(1);
});

it('says true or false where there is nothing to ask', () => {
  expect(compile({ type: 'and', operands: [] })).toEqual(['TRUE']);
  expect(compile({ type: 'or', operands: [] })).toEqual(['FALSE']);
  expect(compile({ type: 'in', column: 'title', values: [] })).toEqual(['FALSE']);
});

it.for<Where>([
  { type: 'compare', column: 'title"', operator: 'eq', value: 'x' },
  { type: 'compare', column: '__proto__', operator: 'eq', value: 'x' },
  { type: 'isNull', column: 'constructor' },
  { type: 'compare', column: 'title', operator: 'eq', value: 1 },
  { type: 'compare', column: 'count', operator: 'eq', value: 1.5 },
  { type: 'compare', column: 'count', operator: 'eq', value: 2 ** 53 },
  { type: 'compare', column: 'ratio', operator: 'lt', value: Number.NaN },
  { type: 'compare', column: 'detail', operator: 'eq', value: '{}' },
  { type: 'compare', column: 'title', operator: 'eq', value: { column: 'count' } },
  { type: 'compare', column: 'detail', operator: 'eq', value: { column: 'detail' } },
  { type: 'in', column: 'ratio', values: [1, Number.POSITIVE_INFINITY] },
  { type: 'text', column: 'count', operator: 'contains', value: '1' },
])('refuses %j', (where) => {
  expect(() => compile(where)).toThrow(TypeError);
});

it('quotes identifiers', () => {
  expect(quoteIdentifier('a"b')).toBe('"a""b"');
});
