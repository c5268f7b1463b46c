import { CodedError } from '@x/errors';
import {
  all,
  and,
  atPath,
  contains,
  endsWith,
  eq,
  gt,
  gte,
  icontains,
  isIn,
  isNull,
  istartsWith,
  type JsonType,
  lt,
  lte,
  ne,
  none,
  not,
  or,
  related,
  startsWith,
  type Where,
  type WhereValue,
} from '@x/store/where';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, type Model } from '../model/model.ts';
import { hostileTexts, hostileValues } from '../testing/hostile-inputs.ts';
import { tasks } from '../testing/sample-models.ts';
import { toListCursor } from './list-cursor.ts';
import { type ParsedListQuery, parseListQuery, type QueryTerms, toQueryObject } from './parse-list-query.ts';
import type { ComparableFields } from './query-terms.ts';

const comments = defineModel('comments', {
  fields: { taskId: field.uuid({ references: 'tasks' }), body: field.text() },
  relations: { task: belongsTo('taskId') },
});
const projects = defineModel('projects', { fields: { name: field.text() } });
const models = new Map<string, Model>([tasks, comments, projects].map((model) => [model.name, model]));
function findTerms(entity: string): ComparableFields | undefined {
  const model = models.get(entity);
  return model && { model, findRelated: findTerms };
}

const terms: QueryTerms = {
  model: tasks,
  findRelated: findTerms,
  entitlements: new Set(['task:update', 'task:delete']),
};

const ofComments: QueryTerms = { model: comments, findRelated: findTerms };

const uuid = '00000000-0000-4000-8000-00000000000a';

function parse(query: unknown): ParsedListQuery {
  return parseListQuery(terms, query);
}

function parseUrl(search: string): ParsedListQuery {
  return parse(toQueryObject(new URLSearchParams(search)));
}

/** Where the query has its problem; null where it has none. */
function placeOf(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'INVALID_QUERY') throw error;
    return error.extras.issues?.[0]?.path.join('.') ?? '';
  }
}

it('requests the first 20 by primary key by default', () => {
  expect(parse({})).toEqual({
    where: all,
    order: [{ column: 'id', direction: 'asc' }],
    after: null,
    limit: 20,
    select: null,
    include: [],
    count: false,
    entitlements: [],
  });
});

it('begins with the first page after a cursor of null', () => {
  expect(parse({ after: null })).toEqual(parse({}));
});

it('reads the parameters of a URL', () => {
  const query = parseUrl(
    `where[title]=open&where[createdAt][gte]=2026-01-01T00:00:00Z&where[id][in]=${uuid},${uuid.toUpperCase()}` +
      '&orderBy=createdAt:desc,id:asc&limit=7&select=id,title&include=comments,project&count=true&access=task:update',
  );
  expect(query).toEqual({
    where: and(eq('title', 'open'), gte('createdAt', Date.UTC(2026, 0)), isIn('id', [uuid, uuid])),
    order: [
      { column: 'createdAt', direction: 'desc' },
      { column: 'id', direction: 'asc' },
    ],
    after: null,
    limit: 7,
    select: ['id', 'title'],
    include: [
      { relation: 'comments', include: [] },
      { relation: 'project', include: [] },
    ],
    count: true,
    entitlements: ['task:update'],
  });
});

it('reads a list of values from one text with commas, or from a parameter for each value, which may have some', () => {
  const whereOf = (search: string): unknown => parseUrl(search).where;
  expect(whereOf('where[title][in]=a,b')).toEqual(isIn('title', ['a', 'b']));
  expect(whereOf('where[title][in]=a%2Cb')).toEqual(isIn('title', ['a', 'b']));
  expect(whereOf('where[title][in][]=a%2Cb')).toEqual(isIn('title', ['a,b']));
  expect(whereOf('where[title][in][]=a%2Cb&where[title][in][]=c,')).toEqual(isIn('title', ['a,b', 'c,']));
  expect(whereOf('where[title][notIn]=a%2Cb&where[title][notIn]=c')).toEqual(not(isIn('title', ['a,b', 'c'])));
  expect(whereOf('where[points][in]=1&where[points][in][]=2')).toEqual(isIn('points', [1, 2]));
  const related = whereOf('where[project.name][in][]=a%2Cb&where[done]=true');
  expect(related).toMatchObject({ operands: [{ where: isIn('name', ['a,b']) }, eq('done', true)] });
  const values = (count: number): string => Array.from({ length: count }, () => 'where[title][in][]=x').join('&');
  expect(placeOf(() => parseUrl(values(100)))).toBeNull();
  expect(placeOf(() => parseUrl(values(101)))).toBe('where.title.in');
});

it('reads decimals in any spelling and days, and refuses values that the field cannot hold', () => {
  const fields = { cost: field.decimal(6, 2), dueOn: field.date() };
  const invoices = { ...terms, model: defineModel('invoices', { fields }) };
  const whereOf = (search: string): unknown =>
    parseListQuery(invoices, toQueryObject(new URLSearchParams(search))).where;
  expect(whereOf('where[cost][gte]=7.5&where[dueOn]=2024-02-29')).toEqual(
    and(gte('cost', '7.50'), eq('dueOn', '2024-02-29')),
  );
  expect(whereOf('where[cost][in]=1,-02.00')).toEqual(isIn('cost', ['1.00', '-2.00']));
  for (const search of ['where[cost]=1.005', 'where[cost]=1e2', 'where[dueOn]=2026-02-29', 'where[cost][contains]=1']) {
    expect(
      placeOf(() => whereOf(search)),
      search,
    ).not.toBeNull();
  }
});

it('reads every operator', () => {
  const operatorsOf = (column: string, filter: object): unknown => parse({ where: { [column]: filter } }).where;
  expect(operatorsOf('points', { ne: 1, gt: 2, gte: 3, lt: 4, lte: 5 })).toEqual(
    and(ne('points', 1), gt('points', 2), gte('points', 3), lt('points', 4), lte('points', 5)),
  );
  expect(operatorsOf('title', { contains: '%', startsWith: '_', endsWith: '\\' })).toEqual(
    and(contains('title', '%'), startsWith('title', '_'), endsWith('title', '\\')),
  );
  expect(operatorsOf('title', { icontains: 'Ä', istartsWith: '' })).toEqual(
    and(icontains('title', 'Ä'), istartsWith('title', '')),
  );
  const listed = isIn('priority', ['low', 'high']);
  expect(operatorsOf('priority', { notIn: ['low', 'high'] })).toEqual(not(listed));
  const missing = isNull('dueAt');
  expect(operatorsOf('dueAt', { isNull: true })).toEqual(missing);
  expect(operatorsOf('dueAt', { isNull: 'false' })).toEqual(not(missing));
});

it('combines filters in the JSON form', () => {
  const done = eq('done', true);
  const title = eq('title', 'x');
  expect(
    parse({ where: { title: 'x', OR: [{ done: true }, { NOT: { AND: [{ title: 'x' }, { done: true }] } }] } }),
  ).toEqual(
    expect.objectContaining({
      where: and(title, or(done, not(and(title, done)))),
    }),
  );
});

it('reads conditions on the record that a relation leads to, and leaves open which of those are readable', () => {
  const onProject = (where: Where): Where => related('projectId', { entity: 'projects', readable: none, where });
  const named = onProject(and(startsWith('name', 'a'), ne('name', 'ab')));
  expect(parseUrl('where[project.name][startsWith]=a&where[project.name][ne]=ab&where[title]=x').where).toEqual(
    and(named, eq('title', 'x')),
  );
  expect(parse({ where: { NOT: { 'project.createdAt': { gte: '2026-01-01T00:00:00Z' } } } }).where).toEqual(
    not(onProject(gte('createdAt', Date.UTC(2026, 0)))),
  );
});

describe('a path in a field of JSON', () => {
  const at = (path: string, as: JsonType, toWhere: (value: string) => Where): Where =>
    atPath('labels', { path: path.split('.'), as }, toWhere);
  const whereOf = (filter: unknown, path = 'labels.0'): Where => parse({ where: { [path]: filter } }).where;

  it('leads to a value that compares with operands of its own type', () => {
    expect(whereOf('x')).toEqual(at('0', 'text', (value) => eq(value, 'x')));
    expect(whereOf({ gt: 3, ne: 7.5 }, 'labels.deep.a')).toEqual(
      and(
        at('deep.a', 'number', (value) => gt(value, 3)),
        at('deep.a', 'number', (value) => ne(value, 7.5)),
      ),
    );
    expect(whereOf(false)).toEqual(at('0', 'boolean', (value) => eq(value, false)));
    expect(whereOf({ in: [1, -0] })).toEqual(at('0', 'number', (value) => isIn(value, [1, 0])));
    expect(whereOf({ notIn: ['a', '1'] })).toEqual(at('0', 'text', (value) => not(isIn(value, ['a', '1']))));
    expect(whereOf({ in: [] })).toEqual(at('0', 'text', (value) => isIn(value, [])));
    expect(whereOf({ icontains: 'x' })).toEqual(at('0', 'text', (value) => icontains(value, 'x')));
    expect(whereOf({ isNull: false })).toEqual(at('0', 'json', (value) => not(isNull(value))));
  });

  it('has texts for operands in a URL', () => {
    expect(parseUrl('where[labels.0]=3&where[labels.0][in]=1,2&where[labels.1][isNull]=true').where).toEqual(
      and(
        at('0', 'text', (value) => eq(value, '3')),
        at('0', 'text', (value) => isIn(value, ['1', '2'])),
        at('1', 'json', isNull),
      ),
    );
  });

  it('may begin at the record that a relation leads to', () => {
    const inner = at('0', 'text', (value) => eq(value, 'x'));
    expect(parseListQuery(ofComments, { where: { 'task.labels.0': 'x' } }).where).toEqual(
      related('taskId', { entity: 'tasks', readable: none, where: inner }),
    );
  });

  it('may have any name in it', () => {
    for (const name of ['__proto__', 'constructor', '-1', '01', '"', "'", '$', ' ', '*', 'é', '😀', 'x'.repeat(100)]) {
      expect(whereOf('x', `labels.${name}`)).toEqual(at(name, 'text', (value) => eq(value, 'x')));
    }
  });

  it('is refused if it is too long, has an empty step, or begins elsewhere', () => {
    const wrong = [
      ...['labels.', 'labels..a', 'labels.a.', 'labels..', '.labels', 'labels', `labels.${'x'.repeat(101)}`],
      ...['labels.\0', 'labels.\uD800', `labels${'.a'.repeat(9)}`, `labels${'.'.repeat(100_000)}`],
      ...['title.a', 'internalNote.a', 'nothing.a', 'project.a', 'comments.labels.a', 'toString.a', '__proto__.a'],
    ];
    for (const path of wrong)
      expect(placeOf(() => whereOf('x', path))?.slice(0, 70)).toBe(`where.${path}`.slice(0, 70));
    expect(placeOf(() => whereOf('x', `labels${'.a'.repeat(8)}`))).toBeNull();
  });

  it('leads nowhere if callers may not read the field, as if there were none', () => {
    const errorOf = (path: string): unknown => {
      try {
        return parseListQuery({ ...terms, unqueryable: new Set(['labels']) }, { where: { [path]: { in: [1, 'a'] } } });
      } catch (error) {
        return error instanceof CodedError && [error.code, JSON.stringify(error.extras).replace('labels', 'nobody')];
      }
    };
    for (const rest of ['.a', '..', `.${'x'.repeat(200)}`, '.a'.repeat(20)]) {
      expect(errorOf(`nobody${rest}`)).toContain('INVALID_QUERY');
      expect(errorOf(`labels${rest}`)).toEqual(errorOf(`nobody${rest}`));
    }
  });

  it('refuses operands that are no text, number or boolean, and lists of several types', () => {
    for (const filter of [null, [], ['a'], { eq: null }, { eq: ['a'] }, { eq: {} }, { gt: Number.NaN }]) {
      expect(placeOf(() => whereOf(filter))).toMatch(/^where[.]labels[.]0/);
    }
    for (const filter of [{ in: ['a', 1] }, { in: [1, '1'] }, { in: [null] }, { in: [['a']] }, { in: 1 }]) {
      expect(placeOf(() => whereOf(filter))).toBe('where.labels.0.in');
    }
    for (const filter of [{ contains: 1 }, { istartsWith: true }, { isNull: 1 }, { like: 'x' }, { gt: '\0' }]) {
      expect(placeOf(() => whereOf(filter))).toMatch(/^where[.]labels[.]0[.]/);
    }
  });

  it('is no part of an order', () => {
    for (const orderBy of ['labels.0', 'labels.0:desc', 'labels']) {
      expect(placeOf(() => parse({ orderBy }))).toMatch(/^orderBy/);
    }
  });
});

it('takes a field without operators for no condition, on whichever record it is', () => {
  expect(parse({ where: { title: {}, 'project.name': {} } }).where).toBe(all);
  expect(parse({ where: { title: 'x', 'project.name': {} } }).where).toEqual(eq('title', 'x'));
});

it('coerces values by the type of the field, the same in both forms', () => {
  const cases: readonly [string, string, unknown, WhereValue][] = [
    ['title', '5', '5', '5'],
    ['points', '-7', -7, -7],
    ['points', '-0', -0, 0],
    ['weight', '1.5e3', 1500, 1500],
    ['done', 'true', true, true],
    ['priority', 'low', 'low', 'low'],
    ['projectId', uuid.toUpperCase(), uuid, uuid],
    ['dueAt', '2026-01-01T01:00:00.000%2B01:00', '2026-01-01T00:00:00Z', Date.UTC(2026, 0)],
  ];
  for (const [column, inUrl, inJson, value] of cases) {
    const where = eq(column, value);
    expect(parseUrl(`where[${column}]=${inUrl}`).where).toEqual(where);
    expect(parse({ where: { [column]: inJson } }).where).toEqual(where);
  }
});

it('parses a URL and the same query in JSON to the same result', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ',', '%', '&', '=', '[', ']', ' ', '+', 'é', '😀'),
    maxLength: 5,
  });
  const filter = fc.record(
    {
      title: fc.dictionary(fc.constantFrom('eq', 'ne', 'contains', 'in', 'notIn'), text, { minKeys: 1 }),
      points: fc.record({ gte: fc.integer() }),
      done: fc.record({ eq: fc.boolean() }),
    },
    { requiredKeys: [] },
  );
  const rest = fc.record(
    {
      orderBy: fc.subarray(['title:desc', 'points', 'createdAt:asc', 'id:desc'], { minLength: 1 }),
      limit: fc.integer({ min: 1, max: 100 }),
      select: fc.subarray(['id', 'title', 'done'], { minLength: 1 }),
      include: fc.subarray(['comments', 'project', 'comments.task'], { minLength: 1 }),
      count: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(filter, rest, (where, others) => {
      const search = new URLSearchParams(Object.entries(others).map(([name, value]) => [name, String(value)]));
      for (const [name, operators] of Object.entries(where)) {
        for (const [operator, value] of Object.entries(operators)) {
          search.append(`where[${name}][${operator}]`, String(value));
        }
      }
      expect(parseUrl(search.toString())).toEqual(parse({ where, ...others }));
    }),
  );
});

it('orders by the requested fields and then by the primary key, in the direction of the last', () => {
  expect(parse({ orderBy: ['priority', 'createdAt:desc'] }).order).toEqual([
    { column: 'priority', direction: 'asc' },
    { column: 'createdAt', direction: 'desc' },
    { column: 'id', direction: 'desc' },
  ]);
  expect(parse({ orderBy: 'id:desc,title' }).order).toEqual([{ column: 'id', direction: 'desc' }]);
});

it('follows relations two levels', () => {
  expect(parse({ include: 'comments,comments.task' }).include).toEqual([
    { relation: 'comments', include: [{ relation: 'task', include: [] }] },
  ]);
});

it('keeps the whole sort key in the cursor, and accepts it only for its own order', () => {
  const { order } = parse({ orderBy: 'dueAt:desc,weight' });
  const record = { id: uuid, dueAt: new Date('2026-01-01T00:00:00.000Z'), weight: null, title: 'secret' };
  const after = toListCursor(order, record);
  expect(parse({ orderBy: 'dueAt:desc,weight', after }).after).toEqual([Date.UTC(2026, 0), null, uuid]);
  expect(Buffer.from(after, 'base64url').toString()).not.toContain('secret');
  for (const orderBy of ['dueAt,weight', 'dueAt:desc', 'weight,dueAt:desc', 'dueAt:desc,weight:desc', undefined]) {
    expect(placeOf(() => parse({ orderBy, after }))).toBe('after');
  }
});

it.for<readonly unknown[]>([
  [],
  ['id:asc'],
  ['id:asc', null],
  ['id:asc', 5],
  ['id:asc', 'x'],
  ['id:asc', [uuid]],
  ['id:asc', { toString: 1 }],
  ['id:asc', uuid, uuid],
  ['id:desc', uuid],
  [null, uuid],
])('refuses the made-up cursor %j', (parts) => {
  expect(placeOf(() => parse({ after: Buffer.from(JSON.stringify(parts)).toString('base64url') }))).toBe('after');
});

it.for<[string, unknown, string]>([
  ['an unknown parameter', { wher: {} }, 'wher'],
  ['an unknown field', { where: { nope: 1 } }, 'where.nope'],
  ['a hidden field', { where: { internalNote: 'x' } }, 'where.internalNote'],
  ['a hidden field among others', { where: { OR: [{ internalNote: { isNull: true } }] } }, 'where.OR.0.internalNote'],
  ['an order by a hidden field', { orderBy: 'internalNote' }, 'orderBy.internalNote'],
  ['a selection of a hidden field', { select: 'internalNote' }, 'select.internalNote'],
  ['a filter on JSON', { where: { labels: 'x' } }, 'where.labels'],
  ['an order by JSON', { orderBy: ['labels'] }, 'orderBy.labels'],
  ['an unknown operator', { where: { title: { $ne: 'x' } } }, 'where.title.$ne'],
  ['a search in what is no text', { where: { points: { contains: '1' } } }, 'where.points.contains'],
  ['a null', { where: { dueAt: null } }, 'where.dueAt.eq'],
  ['a list for one value', { where: { title: ['x'] } }, 'where.title.eq'],
  ['one value for a list', { where: { points: { in: 5 } } }, 'where.points.in'],
  ['a number for a text', { where: { title: 5 } }, 'where.title.eq'],
  ['a fraction for an integer', { where: { points: 1.5 } }, 'where.points.eq'],
  ['an integer that is too big', { where: { points: '9007199254740992' } }, 'where.points.eq'],
  ['a number that is too big', { where: { weight: '1e400' } }, 'where.weight.eq'],
  ['a number that would be rounded', { where: { weight: '9007199254740993' } }, 'where.weight.eq'],
  ['a number that would become 0', { where: { weight: { in: '1,1e-400' } } }, 'where.weight.in'],
  ['a moment that would be cut', { where: { dueAt: { lt: '2026-01-01T00:00:00.0005Z' } } }, 'where.dueAt.lt'],
  ['a number with something behind it', { where: { points: '10abc' } }, 'where.points.eq'],
  ['a number of another notation', { where: { weight: '0x10' } }, 'where.weight.eq'],
  ['an empty number', { where: { weight: '' } }, 'where.weight.eq'],
  ['a boolean of another notation', { where: { done: '1' } }, 'where.done.eq'],
  ['a date without a time', { where: { dueAt: '2026-01-01' } }, 'where.dueAt.eq'],
  ['an unknown value of an enum', { where: { priority: 'urgent' } }, 'where.priority.eq'],
  ['a text with U+0000', { where: { title: 'a\0' } }, 'where.title.eq'],
  ['half a surrogate pair', { where: { title: { contains: '\uD800' } } }, 'where.title.contains'],
  ['an unclear isNull', { where: { title: { isNull: 'yes' } } }, 'where.title.isNull'],
  ['a filter that is none', { where: 'title' }, 'where'],
  ['a combination that is none', { where: { OR: { title: 'x' } } }, 'where.OR'],
  ['an unknown combination', { where: { XOR: [] } }, 'where.XOR'],
  ['an unknown field of a relation', { where: { 'project.nope': 1 } }, 'where.project.nope'],
  ['a value that does not fit a field of a relation', { where: { 'project.name': 5 } }, 'where.project.name.eq'],
  ['a field beyond two relations', { where: { 'project.organization.name': 'x' } }, 'where.project.organization.name'],
  ['a field of an unknown relation', { where: { 'owner.name': 'x' } }, 'where.owner.name'],
  ['a field of a relation of every object', { where: { 'constructor.name': 'x' } }, 'where.constructor.name'],
  ['a field of many records', { where: { 'comments.body': 'x' } }, 'where.comments.body'],
  ['a relation instead of its field', { where: { project: 'x' } }, 'where.project'],
  ['an order by an unknown field of a relation', { orderBy: 'project.nothing' }, 'orderBy.project.nothing'],
  ['an order by a field of many records', { orderBy: 'comments.body' }, 'orderBy.comments.body'],
  ['a field of a relation ordered by twice', { orderBy: 'project.name,project.name:desc' }, 'orderBy'],
  ['a direction that is none', { orderBy: 'title:up' }, 'orderBy.title'],
  ['a field ordered by twice', { orderBy: 'title,title:desc' }, 'orderBy'],
  ['an empty order', { orderBy: [] }, 'orderBy'],
  ['a limit of 0', { limit: 0 }, 'limit'],
  ['a limit of 101', { limit: '101' }, 'limit'],
  ['a negative limit', { limit: '-1' }, 'limit'],
  ['a huge limit', { limit: 1e9 }, 'limit'],
  ['a limit that is no number', { limit: Number.NaN }, 'limit'],
  ['a limit with a fraction', { limit: '1.0' }, 'limit'],
  ['an unclear count', { count: 'maybe' }, 'count'],
  ['an unknown relation', { include: 'owner' }, 'include.owner'],
  ['a relation of every object', { include: ['constructor'] }, 'include.constructor'],
  ['a third level', { include: 'comments.task.comments' }, 'include'],
  ['an unknown entitlement', { access: 'task:read' }, 'access.task:read'],
  ['a cursor that is none', { after: '%%%' }, 'after'],
  ['a cursor that is no text', { after: {} }, 'after'],
  ['a query that is a list', [], ''],
  ['a query that is nothing', null, ''],
])('refuses %s', ([_name, query, place]) => {
  expect(placeOf(() => parse(query))).toBe(place);
});

it.for([
  'limit=1&limit=2',
  'where[title]=a&where[title]=b',
  'where[title]=a&where[title][eq]=b',
  'where=x&where[title]=a',
  'where[OR]=x',
  'where[NOT][title]=x',
  'where[title][eq][x]=1',
  'where[title][eq][]=a',
  'where[title][eq][]=a&where[title][eq][]=b',
  'where[title][isNull][]=true',
  'where[title][contains]=a&where[title][contains]=b',
  'where[title][in][0]=a',
  'where[title][in][][]=a',
  'where[title][]=a',
  'where[title][constructor][]=a',
  'where[]=1',
  'where[__proto__]=1',
  'where[title][constructor]=1',
  '__proto__=1',
  'constructor=1',
])('refuses the URL ?%s', (search) => {
  expect(placeOf(() => parseUrl(search))).not.toBeNull();
});

it('refuses a query that is too large or nested too deep', () => {
  const many = (count: number): unknown => ({ where: { OR: Array.from({ length: count }, () => ({ done: true })) } });
  expect(placeOf(() => parse(many(50)))).toBeNull();
  expect(placeOf(() => parse(many(51)))).not.toBeNull();
  const listOf = (count: number): unknown => ({ where: { points: { in: Array.from({ length: count }, () => 1) } } });
  expect(placeOf(() => parse(listOf(100)))).toBeNull();
  expect(placeOf(() => parse(listOf(101)))).toBe('where.points.in');
});

it('lets an entity raise its limit', () => {
  expect(parseListQuery({ ...terms, maxLimit: 1000 }, { limit: 1000 }).limit).toBe(1000);
  expect(parseListQuery({ ...terms, maxLimit: 5 }, {}).limit).toBe(5);
});

it('parses every hostile input to a query or refuses it with INVALID_QUERY', () => {
  let refused = 0;
  const calls = [...hostileTexts, ...hostileValues].flatMap((hostile) => [
    ...['where', 'orderBy', 'limit', 'after', 'select', 'include', 'count', 'access'].map((name) => ({
      [name]: hostile,
    })),
    ...['id', 'title', 'points', 'weight', 'done', 'dueAt', 'priority'].flatMap((name) => [
      { where: { [name]: hostile } },
      { where: { [name]: { in: hostile } } },
      { where: { NOT: { [name]: { gte: hostile } } } },
    ]),
    { where: { title: { contains: hostile } } },
    { where: { AND: hostile } },
    { where: { OR: [hostile] } },
    { where: { NOT: hostile } },
    ...(typeof hostile === 'string'
      ? [{ [hostile]: 1 }, { where: { [hostile]: 1 } }, { where: { title: { [hostile]: 'x' } } }]
      : []),
    hostile,
  ]);
  for (const query of calls) if (placeOf(() => parse(query)) !== null) refused += 1;
  expect(calls.length).toBeGreaterThan(20_000);
  expect(refused).toBeGreaterThan(calls.length / 2);
  expect({}).not.toHaveProperty('polluted');
});

it('parses every hostile URL to a query or refuses it with INVALID_QUERY', () => {
  for (const hostile of hostileTexts) {
    const text = encodeURIComponent(hostile.toWellFormed());
    for (const search of [
      `${text}=1`,
      `where[${text}]=1`,
      `where[title][${text}]=1`,
      `where[title]=${text}`,
      `after=${text}`,
    ]) {
      expect(placeOf(() => parseUrl(search))).not.toBeUndefined();
    }
  }
});
