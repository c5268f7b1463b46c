import { isDeepStrictEqual } from 'node:util';
import { type EntityListing, type EntityPage, type EntityRow, type Stores, systemClock, type UserId } from '@x/store';
import { sampleEntities } from '@x/store-testing';
import * as where from '@x/store/where';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { measurePause } from '@x/test-support/measure';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';
import { query } from './testing/faulty-network.ts';

const rowCount = process.env['DEEP'] ? 1_000_000 : 5000;

/** A page has a hundred rows. */
const maxCharacters = 2 ** 20;
const titleLength = Math.ceil(maxCharacters / 100);

let database: PostgresDatabase;
let stores: Stores;
beforeAll(async () => {
  database = await createPostgresDatabase();
  stores = createPostgresStores({ url: database.url, clock: systemClock, entities: sampleEntities });
  await stores.migrate();
  await query(
    database.url,
    `INSERT INTO app_projects (id, _version, name)
      SELECT lpad(n::text, 2, '0'), 1, 'project ' || n FROM generate_series(0, 99) AS n;
    INSERT INTO app_tasks (id, _version, project_id, owner_id, title, points, rank, weight, is_done, due_at, detail)
      SELECT lpad(n::text, 8, '0'), 1, lpad((n % 100)::text, 2, '0'), 'owner' || n % 50, rpad('title ' || n % 1000, ${titleLength}, '.'),
        nullif(n % 7, 0), n, n / 8.0, n % 2 = 0, n,
        json_build_object('rank', json_build_array('rank ' || n, n % 1000))
      FROM generate_series(1, ${rowCount}) AS n;
    INSERT INTO access_role_assignments (holder, resource_type, resource_id, role, granted_at)
      SELECT 'user:ada', 'task', lpad(n::text, 8, '0'), 'editor', 0 FROM generate_series(50, ${rowCount}, 50) AS n;
    ANALYZE`,
  );
}, 300_000);
afterAll(async () => {
  await stores.close();
  await database.drop();
});

const numbers = Array.from({ length: rowCount }, (_, index) => index + 1);
const titles = Array.from({ length: 1000 }, (_, n) => `title ${n}`.padEnd(titleLength, '.'));

const projectOf = (n: number): string => String(n % 100).padStart(2, '0');

/** The row that the statement above makes of a number. */
function toRow(n: number): EntityRow {
  return {
    ...{
      id: String(n).padStart(8, '0'),
      projectId: projectOf(n),
      nextId: null,
      slug: null,
      detail: { rank: [`rank ${n}`, n % 1000] },
      cost: null,
      dueOn: null,
    },
    ...{ ownerId: `owner${n % 50}`, title: titles[n % 1000] ?? '' },
    ...{ points: n % 7 || null, rank: n, weight: n / 8, isDone: n % 2 === 0, dueAt: new Date(n) },
  };
}

const resources = { userId: 'ada' as UserId, type: 'task', roles: ['editor'], inheritance: [] };

const context: where.MatchContext = {
  isGranted: (_resources, id) => Number(id) % 50 === 0,
  findRelated: (_entity, id) => ({ row: { id, name: `project ${Number(id)}` }, context: {} }),
};

/** Every operator, and every other part of a condition. */
type Covered = where.WhereOperator | Exclude<where.Where['type'], 'constant' | 'compare' | 'text' | 'caseless'>;

const conditions: Readonly<Record<Covered, where.Where> & Record<string, where.Where>> = {
  all: where.all,
  none: where.none,
  eq: where.eq('ownerId', 'owner7'),
  'eq of an indexed column': where.eq('rank', Math.floor(rowCount / 2)),
  ne: where.ne('points', 3),
  gt: where.gt('weight', rowCount / 16),
  gte: where.gte('rank', rowCount - 50),
  lt: where.lt('dueAt', 500),
  lte: where.lte('points', 1),
  'two columns': { type: 'compare', column: 'points', operator: 'eq', value: { column: 'rank' } },
  in: where.isIn(
    'id',
    [3, 700, 4000].map((n) => String(n).padStart(8, '0')),
  ),
  'in of a column without index': where.isIn('points', [1, 2]),
  notIn: where.not(where.isIn('points', [1, 2])),
  isNull: where.isNull('points'),
  json: where.atPath('detail', { path: ['rank', '1'], as: 'number' }, (value) => where.gt(value, 990)),
  contains: where.contains('title', 'le 99'),
  'contains in no row': where.contains('title', 'absent'),
  'contains a column': where.contains('title', { column: 'ownerId' }),
  icontains: where.icontains('ownerId', 'R4'),
  'icontains in no row': where.icontains('ownerId', 'absent'),
  istartsWith: where.istartsWith('ownerId', 'OWNER1'),
  startsWith: where.startsWith('title', 'title 12'),
  endsWith: where.endsWith('ownerId', '9'),
  related: where.related('projectId', {
    entity: 'projects',
    readable: where.all,
    where: where.icontains('name', 'T 7'),
  }),
  'related in no row': where.related('projectId', {
    entity: 'projects',
    readable: where.all,
    where: where.contains('name', 'absent'),
  }),
  'not related': where.not(
    where.related('projectId', {
      entity: 'projects',
      readable: where.gt('id', '50'),
      where: where.ne('name', 'project 77'),
    }),
  ),
  granted: where.granted('id', resources),
  'granted or': where.or(where.granted('id', resources), where.contains('title', 'title 321')),
  not: where.not(where.isIn('points', [1, 2, 3])),
  and: where.and(where.eq('ownerId', 'owner7'), where.gt('rank', 100), where.eq('isDone', false)),
  or: where.or(where.eq('rank', 17), where.contains('title', 'title 321'), where.isNull('points')),
};

/** The orders: from the first number, and from the last. */
const orders: readonly EntityListing['order'][] = [
  [{ column: 'id', direction: 'asc' }],
  [
    { column: 'rank', direction: 'desc' },
    { column: 'id', direction: 'desc' },
  ],
];

/** A condition that an index answers is never too expensive, and no condition is in a small table. */
function answersTo(name: string): readonly unknown[] {
  const isIndexed = ['all', 'eq of an indexed column', 'in'].includes(name);
  return isIndexed || rowCount < 1_000_000 ? ['as meant'] : ['as meant', 'QUERY_TOO_EXPENSIVE'];
}

it.each(Object.entries(conditions))(
  'lists and counts the rows of %s in either order, and never blocks the event loop',
  async (name, condition) => {
    const meant = numbers.filter((n) => where.matches(condition, toRow(n), context));
    for (const [index, order] of orders.entries()) {
      const listing = { where: condition, order, after: null, limit: 150, bounds: { caller: 'ada', maxCharacters } };
      const { result, longestMs } = await measurePause(async () => ({
        page: await stores.entities.list('tasks', listing).catch(toCode),
        count: await stores.entities.count('tasks', condition, { caller: 'ada' }).catch(toCode),
      }));
      expect(longestMs).toBeLessThan(50);
      const { page, count } = result;
      const inOrder = index === 0 ? meant : meant.toReversed();
      expect(answersTo(name)).toContain(typeof page === 'string' ? page : comparePage(page, inOrder));
      expect(answersTo('count')).toContain(count === meant.length ? 'as meant' : count);
    }
  },
  120_000,
);

function toCode(error: { readonly code: string }): string {
  return error.code;
}

/** Compares a page with the expected rows, of which the first 100 fill it. */
function comparePage({ records, hasMore }: EntityPage, meant: readonly number[]): string {
  const rows = records.map(({ row }) => row);
  if (!isDeepStrictEqual(rows, meant.slice(0, 100).map(toRow))) return `other rows, ${rows.length} of ${meant.length}`;
  return hasMore === meant.length > 100 ? 'as meant' : 'wrong about whether there are more';
}
