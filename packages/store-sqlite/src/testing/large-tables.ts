import type { EntityListing, EntityRow, EntityStore, GrantedResources, SortKey, UserId } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { compareSortKeys, readSortKey } from '@x/store/engine';
import { ManualClock } from '@x/store-testing/clock';
import {
  all,
  and,
  atPath,
  contains,
  endsWith,
  eq,
  granted,
  gt,
  gte,
  icontains,
  isIn,
  isNull,
  istartsWith,
  lt,
  lte,
  matches,
  ne,
  not,
  or,
  related,
  type RelatedRow,
  startsWith,
  type Where,
  type WhereOperator,
} from '@x/store/where';
import Database from 'better-sqlite3';
import { measurePause } from '@x/test-support/measure';
import { expect, it } from 'vitest';
import { createSqliteDriver } from '../create-sqlite-driver.ts';
import { migrations } from '../migrations/migrations.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The longest that a request may block the event loop, in milliseconds. */
const maxPauseMs = 50;

const entities = [
  { name: 'owner', columns: [], indexes: [] },
  {
    name: 'item',
    columns: [
      { name: 'title', type: 'text', nullable: false },
      { name: 'ownerId', type: 'text', nullable: false, references: { entity: 'owner', onDelete: 'restrict' } },
      { name: 'price', type: 'number', nullable: true },
      { name: 'stock', type: 'integer', nullable: false },
      { name: 'done', type: 'boolean', nullable: false },
      { name: 'detail', type: 'json', nullable: false },
    ],
    indexes: [['ownerId', 'stock', 'id']],
  },
  { name: 'text', columns: [{ name: 'body', type: 'text', nullable: false }], indexes: [] },
] as const;

/** The rows that the script below inserts. */
function toItem(n: number): EntityRow {
  const price = n % 7 === 0 ? null : ((n * 7919) % 1009) / 4;
  const title = `item ${n} of ${n % 97}`;
  const detail = { rank: [`rank ${n}`, n % 1000] };
  return { id: toId(n), title, ownerId: `owner-${n % 100}`, price, stock: (n * 31) % 1000, done: n % 3 === 0, detail };
}

const toId = (n: number): string => `i${String(n).padStart(7, '0')}`;

const fillItems = `WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n + 1 < ?)
  INSERT INTO app_item (id, title, owner_id, price, stock, done, detail, _version)
  SELECT printf('i%07d', n), 'item ' || n || ' of ' || (n % 97), 'owner-' || (n % 100),
    CASE WHEN n % 7 = 0 THEN NULL ELSE (n * 7919 % 1009) / 4.0 END, n * 31 % 1000, n % 3 = 0,
    printf('{"rank":["rank %d",%d]}', n, n % 1000), 1 FROM s`;

const ada = 'ada' as UserId;
const resources = { userId: ada, type: 'item', roles: ['editor'], inheritance: [] };
const manager = { parent: { type: 'project', role: 'manager' }, child: { type: 'item', role: 'editor' } };
const inherited = { ...resources, inheritance: [manager] };

/** One in fifty items has a role of its own. Half of all items are below a project with a role. */
const isGranted = ({ inheritance }: GrantedResources, id: string): boolean =>
  Number(id.slice(1)) % (inheritance.length === 0 ? 50 : 2) === 0;

/** Every operator, and every other part of a condition. */
type Covered = WhereOperator | Exclude<Where['type'], 'constant' | 'compare' | 'text' | 'caseless'>;

/** Each item has an owner, of which only the id is known. */
const findRelated = (_entity: string, id: string): RelatedRow => ({ row: { id }, context: {} });

const conditions: Readonly<Record<Covered, Where> & Record<string, Where>> = {
  everything: all,
  eq: eq('title', 'item 77 of 77'),
  ne: ne('done', true),
  gt: gt('price', 250),
  gte: gte('stock', 999),
  lt: lt('stock', 1),
  lte: and(lte('price', 0), eq('done', false)),
  'gt nowhere': gt('price', 1000),
  'two columns': gt('title', { column: 'ownerId' }),
  in: isIn('ownerId', ['owner-1', 'owner-99', 'nobody']),
  notIn: not(isIn('ownerId', ['owner-1', 'owner-99', 'nobody'])),
  contains: contains('title', '99 of 9'),
  'contains nowhere': contains('title', 'nowhere'),
  'contains a column': contains('title', { column: 'ownerId' }),
  startsWith: startsWith('title', 'item 777'),
  endsWith: endsWith('title', 'of 96'),
  icontains: icontains('title', '99 OF 9'),
  'icontains nowhere': icontains('title', 'nowhere'),
  istartsWith: istartsWith('title', 'ITEM 777'),
  isNull: isNull('price'),
  json: atPath('detail', { path: ['rank', '1'], as: 'number' }, (value) => gt(value, 990)),
  'json nowhere': atPath('detail', { path: ['rank', '0'], as: 'text' }, (value) => icontains(value, 'nowhere')),
  and: and(gt('stock', 500), contains('title', 'of 13'), not(isNull('price'))),
  not: not(or(gt('price', 1), isNull('price'))),
  or: or(contains('title', '12345'), and(eq('ownerId', 'owner-5'), gt('stock', 990))),
  related: related('ownerId', { entity: 'owner', readable: all, where: endsWith('id', '7') }),
  'related nowhere': related('ownerId', { entity: 'owner', readable: all, where: contains('id', 'nowhere') }),
  'not related': not(
    related('ownerId', { entity: 'owner', readable: gt('id', 'owner-5'), where: ne('id', 'owner-77') }),
  ),
  'related or': or(
    related('ownerId', { entity: 'owner', readable: all, where: eq('id', 'owner-42') }),
    icontains('title', 'OF 13'),
  ),
  granted: granted('id', resources),
  'granted or': or(granted('id', resources), contains('title', 'of 13')),
  inherited: granted('id', inherited),
  'inherited or': or(granted('id', inherited), contains('title', 'of 13')),
};

const orders: readonly (readonly SortKey[])[] = [
  [{ column: 'id', direction: 'asc' }],
  [
    { column: 'price', direction: 'asc' },
    { column: 'id', direction: 'asc' },
  ],
  [
    { column: 'title', direction: 'desc' },
    { column: 'id', direction: 'desc' },
  ],
];

/** Tests that no query of callers on a table of this size blocks the event loop, and that all results are correct. */
export function describeLargeTables(size: number): void {
  it(`no query on ${size} rows blocks the event loop, and each has the rows that matches() accepts`, async () => {
    await using opened = await openLarge(size);
    const listings = Object.entries(conditions).flatMap(([name, where]) =>
      orders.map((order): { name: string; listing: EntityListing } => ({
        name: `${name}, by ${order[0]?.column}`,
        listing: { where, order, after: null, limit: 20, bounds: { caller: `user-${name}`, maxCharacters: 2 ** 20 } },
      })),
    );
    const owners = ['owner-3', 'owner-42', 'nobody'];
    const { entities: store } = opened;
    const related = { column: 'ownerId', values: owners, where: contains('title', 'of 5'), limitEach: 5 };
    const [pages, counts, relatedPage] = await withoutPause(async () => [
      await oneByOne(listings, ({ listing }) => store.list('item', listing)),
      await oneByOne(Object.values(conditions), (where) => store.count('item', where, { caller: 'counting' })),
      await store.listRelated('item', { ...related, bounds: { caller: 'relating' } }),
    ]);
    const rows = Array.from({ length: size }, (_, n) => toItem(n));
    const accepted = Object.values(conditions).map((where) => rows.filter((row) => accepts(where, row)));
    expect(counts).toEqual(accepted.map((each) => each.length));
    for (const [index, { name, listing }] of listings.entries()) {
      const expected = firstOf(accepted[Math.floor(index / orders.length)] ?? [], listing);
      const shown = pages[index]?.records.map(({ row }) => row);
      expect(shown, name).toEqual(expected);
    }
    const expected = owners.flatMap((ownerId) =>
      rows.filter((row) => row['ownerId'] === ownerId && accepts(related.where, row)).slice(0, 5),
    );
    expect(relatedPage.records.map(({ row }) => row)).toEqual(expected);
  });
}

/** Tests the same for searches through this many of the largest texts. */
export function describeLargestTexts(count: number): void {
  it(`no search of ${count} of the largest texts blocks the event loop`, async () => {
    await using opened = await openLarge(0);
    const body = '😀'.repeat(9_999);
    const fill = new Database(opened.path);
    const insert = fill.prepare('INSERT INTO app_text (id, body, _version) VALUES (?, ?, 1)');
    fill.transaction(() => {
      for (let n = 0; n < count; n += 1) insert.run(toId(n), `${body}${n % 10}`);
    })();
    fill.close();
    const needles = Array.from({ length: 50 }, (_, n) => `${'😀'.repeat(255)}${n === 49 ? '7' : 'x'}`);
    const operators = [contains, startsWith, endsWith, icontains];
    const searches = operators.map((text) => or(...needles.map((part) => text('body', part))));
    const list = (where: Where) =>
      opened.entities.list('text', {
        where,
        order: [{ column: 'id', direction: 'asc' }],
        after: null,
        limit: 100,
        bounds: { caller: 'ada', maxCharacters: 2 ** 20 },
      });
    const pages = await withoutPause(() => oneByOne(searches, list));
    const withSeven = Array.from({ length: count }, (_, n) => n).filter((n) => n % 10 === 7);
    const found = pages.map(({ records }) => records.map(({ row }) => row.id));
    const expected = withSeven.slice(0, found[0]?.length).map(toId);
    expect(expected.length).toBeGreaterThan(0);
    expect(found).toEqual([expected, [], expected, expected]);
  });
}

interface LargeDatabase extends AsyncDisposable {
  readonly path: string;
  readonly entities: EntityStore;
}

/** The time of a statement depends on the machine, so these tests do not limit it. */
async function openLarge(size: number): Promise<LargeDatabase> {
  const path = `${await makeTemporaryFolder()}/test.db`;
  const clock = new ManualClock();
  const queryLimits = { statementMs: 600_000, maxWaitMs: 600_000, idleMs: 600_000, threads: 1 };
  const driver = createSqliteDriver({ path, clock, synchronous: 'FULL', migrations, queryLimits });
  const stores = createSqlStores({ driver, clock, entities });
  await stores.migrate();
  const fill = new Database(path);
  for (let n = 0; n < 100; n += 1) fill.prepare('INSERT INTO app_owner (id, _version) VALUES (?, 1)').run(`owner-${n}`);
  if (size > 0) fill.prepare(fillItems).run(size);
  fill.exec(`INSERT INTO access_edges (child_type, child_id, parent_type, parent_id)
    SELECT 'item', id, 'project', 'large' FROM app_item WHERE CAST(substr(id, 2) AS INTEGER) % 2 = 0;
    INSERT INTO access_role_assignments (holder, resource_type, resource_id, role, granted_at)
    VALUES ('user:ada', 'project', 'large', 'manager', 0)`);
  fill
    .prepare(
      `INSERT INTO access_role_assignments (holder, resource_type, resource_id, role, granted_at)
      SELECT 'user:ada', 'item', id, 'editor', 0 FROM app_item WHERE CAST(substr(id, 2) AS INTEGER) % 50 = 0`,
    )
    .run();
  fill.close();
  return { path, entities: stores.entities, [Symbol.asyncDispose]: () => stores.close() };
}

/** Runs one query after the other: the event loop starts each, so queries that start at once add up. */
async function oneByOne<T, R>(items: readonly T[], query: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await query(item));
  return results;
}

/** Does some work, and asserts that it never blocked the event loop. */
async function withoutPause<T>(work: () => Promise<T>): Promise<T> {
  const { result, longestMs } = await measurePause(work);
  expect(longestMs).toBeLessThan(maxPauseMs);
  return result;
}

function accepts(where: Where, row: EntityRow): boolean {
  return matches(where, row as Parameters<typeof matches>[1], { isGranted, findRelated });
}

function firstOf(rows: readonly EntityRow[], { order, limit }: EntityListing): readonly EntityRow[] {
  const keyed = rows.map((row) => ({ row, key: readSortKey(order, row) }));
  keyed.sort((a, b) => compareSortKeys(order, a.key, b.key));
  return keyed.slice(0, limit).map(({ row }) => row);
}
