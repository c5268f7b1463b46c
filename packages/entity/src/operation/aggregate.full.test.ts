import { anonymous, rules, type RuleCaller } from '@x/access';
import type { EntityRow, Stores } from '@x/store';
import { all } from '@x/store/where';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { endpointsOf } from '../http/endpoints.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo } from '../model/model.ts';
import { type Engine, engines, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const projectModel = defineModel('projects', {
  fields: { ownerId: field.text(), name: field.text(), budget: field.integer() },
});

const model = defineModel('tasks', {
  fields: {
    ownerId: field.text(),
    projectId: field.uuid({ references: 'projects', nullable: true }),
    estimate: field.decimal(6, 2, { nullable: true }),
    points: field.integer(),
    dueAt: field.timestamp({ nullable: true }),
    rating: field.integer(),
    salary: field.integer(),
    pin: field.text({ hidden: true, nullable: true }),
    labels: field.json({ nullable: true }),
    weight: field.number({ nullable: true }),
    done: field.boolean({ nullable: true }),
  },
  relations: { project: belongsTo('projectId') },
});

const own = rules.where({ ownerId: rules.user.id });
const closed = { create: false, update: false, delete: false } as const;

const tasks = defineEntity({
  model,
  maxPageBytes: 4096,
  access: {
    ...closed,
    list: rules.all(rules.any(rules.role('user'), rules.role('lead')), own),
    get: own,
    // Of one's own record only if it has no points, and by everybody with the role.
    fields: { salary: { read: rules.where({ points: 0 }) }, rating: { read: rules.role('lead') } },
  },
});

const projects = defineEntity({ model: projectModel, access: { ...closed, list: own, get: own } });

const closedEntity = defineEntity({
  model: defineModel('sealed', { fields: { name: field.text() } }),
  access: { ...closed, list: false, get: false },
});

const entities = [projects, tasks];
const models = [projectModel, model];

function serve(stores: Stores, userId: string | null = 'ada', role = 'user') {
  const caller: RuleCaller = { ...anonymous, role, userId: userId as never };
  const app = serveEntities(createEntities({ entities, stores }), caller);
  return async (query: unknown) => {
    const response = await app.request('/tasks/aggregate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(query),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
}

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

type Cells = Readonly<Record<string, string | number | boolean | Date | readonly string[] | null>>;

const project = (ownerId: string, name = 'P', budget = 1): Cells => ({ ownerId, name, budget });

const task = (cells: Cells = {}): Cells => ({
  ...{ ownerId: 'ada', projectId: null, estimate: null, points: 1, dueAt: null, rating: 1, salary: 1, pin: null },
  ...{ labels: [], weight: null, done: false },
  ...cells,
});

async function fill(stores: Stores, world: { readonly projects: readonly Cells[]; readonly tasks: readonly Cells[] }) {
  const moments = { createdAt: stores.clock.now(), updatedAt: stores.clock.now() };
  await stores.entities.deleteAll('tasks', all);
  await stores.entities.deleteAll('projects', all);
  for (const name of ['projects', 'tasks'] as const) {
    const rows = world[name].map((cells, index): EntityRow => ({
      ...{ id: idOf(index), ...cells, ...moments },
    }));
    for (let start = 0; start < rows.length; start += 50) {
      await Promise.all(rows.slice(start, start + 50).map((row) => stores.entities.create(name, row)));
    }
  }
}

describe.each(engines)('an aggregate on %s', (engine) => {
  it('groups the records that the caller may list, and computes the requested measures of each group', async () => {
    const stores = await openEngine(engine, models);
    const dueAt = new Date('2026-01-31T00:00:00.000Z');
    await fill(stores, {
      projects: [project('ada'), project('ada')],
      tasks: [
        task({ projectId: idOf(0), estimate: '1.50', dueAt }),
        task({ projectId: idOf(0), estimate: '0.25', points: 2 }),
        task({ projectId: idOf(1), points: 5 }),
        task({ estimate: '-3.00' }),
        task({ projectId: idOf(1), estimate: '100.00', ownerId: 'bob' }),
      ],
    });
    const measures = {
      open: { count: 'id' },
      total: { sum: 'estimate' },
      mean: { avg: 'points' },
      due: { max: 'dueAt' },
    };
    const { status, body } = await serve(stores)({ where: { points: { lt: 9 } }, groupBy: ['projectId'], measures });
    expect([status, body]).toEqual([
      200,
      {
        groups: [
          { key: { projectId: idOf(0) }, open: 2, total: '1.75', mean: 1.5, due: dueAt.toISOString() },
          { key: { projectId: idOf(1) }, open: 1, total: null, mean: 5, due: null },
          { key: { projectId: null }, open: 1, total: '-3.00', mean: 1, due: null },
        ],
      },
    ]);
    const related = await serve(stores)({ where: { 'project.name': 'P' }, measures: { open: { count: 'id' } } });
    expect(related.body).toEqual({ groups: [{ key: {}, open: 3 }] });
    expect((await serve(stores, 'eve')({ measures })).body.groups).toEqual([
      { key: {}, open: 0, total: null, mean: null, due: null },
    ]);
  });

  it('counts records and values, and computes exactly with each type', async () => {
    const stores = await openEngine(engine, models);
    const largest = Number.MAX_SAFE_INTEGER;
    await fill(stores, {
      projects: [],
      tasks: [
        task({ estimate: '0.01', weight: 0.1, done: true, points: largest, labels: null }),
        task({ estimate: '0.01', weight: 0.2, done: null, points: largest }),
        task({ estimate: '0.03', weight: null, done: true, points: 1 }),
      ],
    });
    const { body } = await serve(stores)({
      groupBy: ['done'],
      measures: {
        all: { count: true },
        labelled: { count: 'labels' },
        total: { sum: 'estimate' },
        mean: { avg: 'estimate' },
        weights: { sum: 'weight' },
      },
    });
    expect(body.groups).toEqual([
      { key: { done: true }, all: 2, labelled: 1, total: '0.04', mean: '0.020000', weights: 0.1 },
      { key: { done: null }, all: 1, labelled: 1, total: '0.01', mean: '0.010000', weights: 0.2 },
    ]);
    const ofAll = await serve(stores)({
      measures: {
        ...{ points: { sum: 'points' }, least: { min: 'points' }, mean: { avg: 'estimate' } },
        ...{ weights: { sum: 'weight' }, weight: { avg: 'weight' }, done: { min: 'done' }, counted: { count: 'done' } },
      },
    });
    expect(ofAll.body.groups).toEqual([
      {
        ...{ key: {}, points: String(2n * BigInt(largest) + 1n), least: 1, mean: '0.016667' },
        ...{ weights: 0.3, weight: 0.15, done: true, counted: 2 },
      },
    ]);
  });

  it('has at most 1000 groups, which fit on a page', async () => {
    const stores = await openEngine(engine, models);
    await fill(stores, { projects: [], tasks: Array.from({ length: 1001 }, (_, points) => task({ points })) });
    const query = { groupBy: 'points', measures: { n: { count: 'id' } } };
    const refused = await serve(stores)(query);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'QUERY_TOO_EXPENSIVE']);
    const { body } = await serve(stores)({ ...query, where: { points: { gt: 0 } } });
    expect([body.groups.length, body.groups[999]]).toEqual([1000, { key: { points: 1000 }, n: 1 }]);
    const large = await serve(stores)({
      groupBy: ['id'],
      where: { points: { lt: 900 } },
      measures: { n: { min: 'id' } },
    });
    expect([large.status, large.body.error.code]).toEqual([400, 'QUERY_TOO_EXPENSIVE']);
  });

  it('is only about fields that the caller may read on every record, by functions that take their type', async () => {
    const stores = await openEngine(engine, models);
    await fill(stores, { projects: [project('ada')], tasks: [task({ projectId: idOf(0) })] });
    const measures = { n: { count: 'id' } };
    const refused: readonly unknown[] = [
      ...['salary', 'pin', 'rating', 'labels', 'nothing', 'project', 'project.name', 'toString', ''].flatMap((name) => [
        { groupBy: [name], measures },
        ...(name === 'labels' ? [] : [{ measures: { n: { count: name } } }]),
        { measures: { n: { max: name } } },
        { where: { [name]: 1 }, measures },
      ]),
      ...['dueAt', 'projectId', 'ownerId', 'done', 'labels'].flatMap((name) => [
        { measures: { n: { sum: name } } },
        { measures: { n: { avg: name } } },
      ]),
      { groupBy: ['id', 'points', 'dueAt', 'ownerId'], measures },
      { groupBy: ['id', 'id'], measures },
      { groupBy: [1], measures },
      { groupBy: 7, measures },
      { measures: {} },
      { measures: { key: { count: 'id' } } },
      { measures: { 'a b': { count: 'id' } } },
      { measures: { n: { count: 'id', sum: 'points' } } },
      { measures: { n: { median: 'points' } } },
      { measures: { n: { count: 1 } } },
      { measures: { n: { count: false } } },
      { measures: { n: { sum: true } } },
      { measures: { n: 'id' } },
      { measures: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`n${index}`, { count: 'id' }])) },
      { measures, limit: 1 },
      {},
      [],
    ];
    for (const query of refused) {
      const { status, body } = await serve(stores)(query);
      expect([JSON.stringify(query), status, body.error.code]).toEqual([JSON.stringify(query), 400, 'INVALID_QUERY']);
    }
    const lead = await serve(stores, 'ada', 'lead')({ groupBy: ['rating'], measures });
    expect(lead.body).toEqual({ groups: [{ key: { rating: 1 }, n: 1 }] });
    expect((await serve(stores, null)({ measures })).body.error.code).toBe('UNAUTHENTICATED');
    expect((await serve(stores, 'ada', 'guest')({ measures })).body.error.code).toBe('FORBIDDEN');
    const textOf = async (name: string): Promise<string> =>
      (await serve(stores)({ groupBy: [name], measures })).text.replaceAll(name, 'name');
    expect([await textOf('salary'), await textOf('pin')]).toEqual([await textOf('nothing'), await textOf('nothing')]);
    expect(endpointsOf(closedEntity).map(({ name }) => name)).toEqual([]);
  });
});

const cell = fc.record({
  ownerId: fc.constantFrom('ada', 'bob'),
  projectId: fc.option(fc.constantFrom(idOf(0), idOf(1), idOf(2)), { freq: 4 }),
  estimate: fc.option(fc.constantFrom('1.50', '-2.25', '9.00'), { freq: 3 }),
  points: fc.integer({ min: 0, max: 2 }),
  weight: fc.option(fc.constantFrom(0.1, 0.2, -0.7, 1e-7, 4), { freq: 3 }),
  done: fc.option(fc.boolean(), { freq: 3 }),
  dueAt: fc.option(fc.constantFrom(new Date(0), new Date(1.7e12)), { freq: 3 }),
  labels: fc.option(fc.constant(['a']), { freq: 2 }),
  // Fields that the caller may not read, or only on some records.
  salary: fc.integer({ min: 0, max: 3 }),
  rating: fc.integer({ min: 0, max: 3 }),
  pin: fc.constantFrom('a', 'b'),
});

const readable = fc.constantFrom(
  ...(['id', 'ownerId', 'projectId', 'estimate', 'points', 'dueAt', 'weight', 'done'] as const),
);

const anyField = fc.oneof(
  { weight: 30, arbitrary: readable },
  { weight: 1, arbitrary: fc.constantFrom('salary', 'pin') },
);

const anyMeasure = fc
  .oneof(
    fc.tuple(fc.constantFrom('sum', 'avg'), fc.constantFrom('points', 'estimate', 'weight')),
    fc.tuple(fc.constantFrom('count', 'min', 'max'), anyField),
    fc.tuple(fc.constant('count'), fc.constantFrom(true, 'labels')),
  )
  .map(([name, on]) => ({ [name]: on }));

const anyQuery = fc.record(
  {
    where: fc.oneof(
      fc.record({ points: fc.record({ gte: fc.integer({ min: 0, max: 2 }) }) }),
      fc.record({ 'project.name': fc.constantFrom('a', 'b') }),
      fc.record({ NOT: fc.record({ 'project.budget': fc.record({ gt: fc.integer({ min: 0, max: 3 }) }) }) }),
      fc.record({ salary: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ 'project.ownerId': fc.constantFrom('ada', 'bob') }),
      fc.record({ OR: fc.tuple(fc.record({ rating: fc.constant(1) }), fc.record({ points: fc.constant(1) })) }),
    ),
    groupBy: fc.uniqueArray(anyField, { maxLength: 2 }),
    measures: fc.dictionary(fc.constantFrom('a', 'b', 'c'), anyMeasure, { minKeys: 1 }),
  },
  { requiredKeys: ['measures'] },
);

const anyWorld = fc.record({
  projects: fc.array(
    fc.record({
      ownerId: fc.constantFrom('ada', 'bob'),
      name: fc.constantFrom('a', 'b'),
      budget: fc.integer({ min: 0, max: 3 }),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  tasks: fc.array(cell.map(task), { maxLength: 12 }),
  queries: fc.array(anyQuery, { minLength: 8, maxLength: 8 }),
});

const numRuns: Readonly<Record<Engine, number>> = process.env['DEEP']
  ? { memory: 10_000, sqlite: 2000, postgres: 100 }
  : { memory: 150, sqlite: 60, postgres: 5 };

it.each(engines)(
  'agrees on %s with a naive model of the rows',
  async (engine) => {
    const stores = await openEngine(engine, models);
    const send = serve(stores);
    const agrees = fc.asyncProperty(anyWorld, async (world) => {
      await fill(stores, world);
      for (const query of world.queries) {
        const { status, body } = await send(query);
        const expected = aggregateNaively(world, query);
        expect([JSON.stringify(query), status, body.groups]).toEqual([
          JSON.stringify(query),
          expected ? 200 : 400,
          expected ?? undefined,
        ]);
      }
    });
    await fc.assert(agrees, { numRuns: numRuns[engine] });
  },
  process.env['DEEP'] ? 1_200_000 : 60_000,
);

type World = typeof anyWorld extends fc.Arbitrary<infer W> ? W : never;
type Query = typeof anyQuery extends fc.Arbitrary<infer Q> ? Q : never;
type Row = Cells & { readonly id: string };

/** Returns the groups, or null for a query that has to be refused. */
function aggregateNaively({ tasks: cells, projects: others }: World, query: Query): unknown {
  const { where, groupBy = [], measures } = query;
  if (/"(salary|pin|rating)"/.test(JSON.stringify([where ?? null, groupBy, measures]))) return null;
  const rows = cells.map((each, index): Row => ({ ...each, id: idOf(index) }));
  const found = rows.filter((row) => row['ownerId'] === 'ada' && (!where || holds(where, row, others)));
  const groups = Map.groupBy(found, (row) => groupBy.map((name) => rankOf(name, row[name] ?? null)).join());
  if (groupBy.length === 0 && found.length === 0) groups.set('', []);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({
      key: Object.fromEntries(groupBy.map((name) => [name, toJson(group[0]?.[name] ?? null)])),
      ...Object.fromEntries(Object.entries(measures).map(([name, each]) => [name, measureNaively(each, group)])),
    }));
}

/** Says whether one of the conditions that are generated holds; undefined if that is unknown. */
function holds(where: NonNullable<Query['where']>, row: Row, others: readonly Cells[]): boolean | undefined {
  const at = others.findIndex((_, index) => idOf(index) === row['projectId']);
  const project = others[at]?.['ownerId'] === 'ada' ? others[at] : undefined;
  if ('points' in where) return Number(row['points']) >= where.points.gte;
  if ('project.name' in where) return project && project['name'] === where['project.name'];
  if ('project.ownerId' in where) return project && project['ownerId'] === where['project.ownerId'];
  if ('NOT' in where) return project && Number(project['budget']) <= where.NOT['project.budget'].gt;
  return true;
}

/** Writes a value as a text in whose order it is, after all others if it is null. */
function rankOf(name: string, value: Cells[string]): string {
  if (value === null || value === undefined) return '~';
  const isNumber = typeof value !== 'string' || name === 'estimate';
  return isNumber ? (Number(value) + 1e14).toFixed(7).padStart(30, '0') : value;
}

function toJson(value: Cells[string] | undefined): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

function measureNaively(asked: Readonly<Record<string, string | boolean>>, rows: readonly Row[]): unknown {
  const [[name, field] = ['', '']] = Object.entries(asked);
  if (typeof field !== 'string') return rows.length;
  const values = rows.map((row) => row[field] ?? null).filter((value) => value !== null);
  if (name === 'count') return values.length;
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => (rankOf(field, a) < rankOf(field, b) ? -1 : 1));
  if (name === 'min') return toJson(sorted[0]);
  if (name === 'max') return toJson(sorted.at(-1));
  // All numbers are multiples of 10^-7.
  const units = values.reduce((sum: number, value) => sum + Math.round(Number(value) * 1e7), 0);
  const number = name === 'sum' ? units / 1e7 : units / 1e7 / values.length;
  if (field !== 'estimate') return expect.closeTo(number, 12);
  return name === 'sum' ? (units / 1e7).toFixed(2) : toRounded(units / 1e5, values.length);
}

/** Divides cents, and writes six digits after the point, rounded half away from zero. */
function toRounded(cents: number, count: number): string {
  const millionths = Math.floor((Math.abs(cents) * 10_000) / count + 0.5);
  return `${cents < 0 && millionths > 0 ? '-' : ''}${(millionths / 1e6).toFixed(6)}`;
}
