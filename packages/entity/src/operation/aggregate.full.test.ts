import { anonymous, rules, type RuleCaller } from '@x/access';
import type { EntityRow, Stores } from '@x/store';
import { all } from '@x/store/where';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
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
    labels: field.json({ default: [] }),
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
    list: own,
    get: own,
    aggregate: rules.any(rules.role('user'), rules.role('lead')),
    // Of one's own record only if it has no points, and by everybody with the role.
    fields: { salary: { read: rules.where({ points: 0 }) }, rating: { read: rules.role('lead') } },
  },
});

const projects = defineEntity({ model: projectModel, access: { ...closed, list: own, get: own } });

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

type Cells = Readonly<Record<string, string | number | Date | null>>;

const project = (ownerId: string, name = 'P', budget = 1): Cells => ({ ownerId, name, budget });

const task = (cells: Cells = {}): Cells => ({
  ...{ ownerId: 'ada', projectId: null, estimate: null, points: 1, dueAt: null, rating: 1, salary: 1, pin: null },
  ...cells,
});

async function fill(stores: Stores, world: { readonly projects: readonly Cells[]; readonly tasks: readonly Cells[] }) {
  const moments = { createdAt: stores.clock.now(), updatedAt: stores.clock.now() };
  await stores.entities.deleteAll('tasks', all);
  await stores.entities.deleteAll('projects', all);
  for (const name of ['projects', 'tasks'] as const) {
    const rows = world[name].map((cells, index): EntityRow => ({
      ...{ id: idOf(index), ...(name === 'tasks' && { labels: [] }) },
      ...{ ...cells, ...moments },
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

  it('has at most 1000 groups, which fit on a page', async () => {
    const stores = await openEngine(engine, models);
    await fill(stores, { projects: [], tasks: Array.from({ length: 1001 }, (_, points) => task({ points })) });
    const query = { groupBy: 'points', measures: { n: { count: 'id' } } };
    const refused = await serve(stores)(query);
    expect([refused.status, refused.body.error.issues?.[0].path]).toEqual([400, ['groupBy']]);
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
        { measures: { n: { count: name } } },
        { measures: { n: { max: name } } },
        { where: { [name]: 1 }, measures },
      ]),
      ...['dueAt', 'projectId', 'ownerId'].flatMap((name) => [{ measures: { n: { sum: name } } }]),
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
  });
});

const cell = fc.record({
  ownerId: fc.constantFrom('ada', 'bob'),
  projectId: fc.option(fc.constantFrom(idOf(0), idOf(1), idOf(2)), { freq: 4 }),
  estimate: fc.option(fc.constantFrom('1.50', '-2.25', '9.00'), { freq: 3 }),
  points: fc.integer({ min: 0, max: 2 }),
});

/** The values that the caller may not read: all of records and projects of others, and three fields. */
const secret = fc.record({
  salary: fc.integer({ min: 0, max: 3 }),
  rating: fc.integer({ min: 0, max: 3 }),
  pin: fc.constantFrom('a', 'b'),
});

const readable = fc.constantFrom('id', 'ownerId', 'projectId', 'estimate', 'points', 'dueAt');

const anyField = fc.oneof(
  { weight: 30, arbitrary: readable },
  { weight: 1, arbitrary: fc.constantFrom('salary', 'pin') },
);

const anyMeasure = fc
  .oneof(
    fc.tuple(fc.constantFrom('sum', 'avg'), fc.constantFrom('points', 'estimate')),
    fc.tuple(fc.constantFrom('count', 'min', 'max'), anyField),
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
  others: fc.array(fc.record({ name: fc.constantFrom('a', 'b'), budget: fc.integer({ min: 0, max: 3 }) }), {
    minLength: 3,
    maxLength: 3,
  }),
  tasks: fc.array(cell, { maxLength: 6 }),
  foreign: fc.array(cell, { maxLength: 6 }),
  ours: fc.array(secret, { minLength: 12, maxLength: 12 }),
  theirs: fc.array(secret, { minLength: 12, maxLength: 12 }),
  queries: fc.array(anyQuery, { minLength: 8, maxLength: 8 }),
});

/** Ada's tasks stay as they are but for what she can't read of them; the tasks and projects of others change. */
function worldsOf({
  projects: given,
  others,
  tasks: cells,
  foreign,
  ours,
  theirs,
}: typeof anyWorld extends fc.Arbitrary<infer W> ? W : never) {
  const mine = cells.filter(({ ownerId }) => ownerId === 'ada');
  const toTasks = (rest: typeof cells, secrets: typeof ours) =>
    [...mine, ...rest.filter(({ ownerId }) => ownerId !== 'ada')].map((each, index) => {
      const { salary, ...hidden } = secrets[index]!;
      // Of a task without points, she sees the salary.
      return task({ ...each, ...hidden, salary: each.ownerId === 'ada' && each.points === 0 ? 1 : salary });
    });
  const altered = given.map((each, index) => (each.ownerId === 'ada' ? each : { ...each, ...others[index]! }));
  return [
    { projects: given, tasks: toTasks(cells, ours) },
    { projects: altered, tasks: toTasks(foreign, theirs) },
  ] as const;
}

const numRuns: Readonly<Record<Engine, number>> = process.env['DEEP']
  ? { memory: 10_000, sqlite: 2000, postgres: 100 }
  : { memory: 150, sqlite: 60, postgres: 5 };

it.each(engines)(
  'gives no response on %s that depends on hidden values',
  async (engine) => {
    const stores = await openEngine(engine, models);
    const send = serve(stores);
    let successes = 0;
    const agrees = fc.asyncProperty(anyWorld, async (world) => {
      const [first, second] = worldsOf(world);
      const answer = async (given: typeof first | typeof second): Promise<readonly string[]> => {
        await fill(stores, given);
        const texts: string[] = [];
        for (const query of world.queries) texts.push((await send(query)).text);
        return texts;
      };
      const texts = await answer(first);
      expect(await answer(second)).toEqual(texts);
      successes += texts.filter((text) => text.startsWith('{"groups"')).length;
    });
    await fc.assert(agrees, { numRuns: numRuns[engine] });
    expect(successes).toBeGreaterThan(3 * numRuns[engine]);
  },
  process.env['DEEP'] ? 1_200_000 : 60_000,
);
