import { type Rule, type RuleCaller, rules } from '@x/access';
import type { EntityRow, EntityTable, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import fc from 'fast-check';
import { createMigratedDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import type { Entity } from '../definition/entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo } from '../model/model.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { anyCaller, anyRow, anyRule, type RuleRow } from '../testing/any-rule.ts';
import { naivelySatisfies } from '../testing/naive-decision.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
const size = 4;
const shelfIds = Array.from({ length: size }, (_, at) => `00000000-0000-4000-8000-00000000001${at}`);
const bookIds = Array.from({ length: size + 1 }, (_, at) => `00000000-0000-4000-8000-00000000002${at}`);

/** Books on shelves, which the rule of shelves shows to some callers. */
function entitiesWith(rule: Rule): readonly Entity[] {
  const none = { create: false, update: false, delete: false } as const;
  const shelves = defineModel('shelves', {
    fields: {
      ownerId: field.text({ nullable: true }),
      tenantId: field.text({ nullable: true }),
      shared: field.boolean({ nullable: true }),
      level: field.integer({ nullable: true }),
      name: field.text({ nullable: true }),
      code: field.text({ default: 'c', hidden: true }),
    },
    indexes: [['name']],
  });
  const books = defineModel('books', {
    fields: { title: field.text(), shelfId: field.uuid({ references: 'shelves', nullable: true }) },
    relations: { shelf: belongsTo('shelfId') },
    indexes: [['shelfId']],
  });
  return [
    defineEntity({ model: shelves, access: { list: rule, get: rule, ...none } }),
    defineEntity({ model: books, access: { list: rules.public, get: rules.public, ...none } }),
  ];
}

const tables: readonly EntityTable[] = toEntityTables(entitiesWith(rules.public).map(({ model }) => model));

interface World {
  readonly caller: RuleCaller;
  readonly rule: Rule;
  readonly rows: readonly RuleRow[];
  readonly names: readonly (string | null)[];
  /** The names where the caller can't read the shelf, in another database. */
  readonly others: readonly (string | null)[];
  readonly queries: readonly Query[];
}

interface Query {
  readonly where: object;
  /** The meaning of the filter, given the name of a shelf that the caller can read; null for any other. */
  readonly holds: (name: string | null) => boolean | null;
}

const name = fc.constantFrom('a', 'b', 'ab', null);

const leaf: fc.Arbitrary<Query> = fc.oneof(
  fc.constantFrom('a', 'b', 'ab').map((text): Query => ({
    where: { 'shelf.name': text },
    holds: (cell) => (cell === null ? null : cell === text),
  })),
  fc.constantFrom('a', 'b').map((text): Query => ({
    where: { 'shelf.name': { contains: text } },
    holds: (cell) => (cell === null ? null : cell.includes(text)),
  })),
  fc.constantFrom('a', 'b').map((text): Query => ({
    where: { 'shelf.name': { notIn: [text] } },
    holds: (cell) => (cell === null ? null : cell !== text),
  })),
);

const query: fc.Arbitrary<Query> = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: leaf },
    {
      weight: 1,
      arbitrary: tie('query').map(({ where, holds }): Query => ({
        where: { NOT: where },
        holds(cell) {
          const held = holds(cell);
          return held === null ? null : !held;
        },
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('query'), tie('query')).map(([one, other]): Query => ({
        where: { OR: [one.where, other.where] },
        holds(cell) {
          const held = [one.holds(cell), other.holds(cell)];
          return held.includes(true) || (held.includes(null) ? null : false);
        },
      })),
    },
  ),
})).query;

const anyWorld: fc.Arbitrary<World> = fc.record({
  caller: anyCaller(now),
  rule: anyRule,
  rows: fc.array(anyRow, { minLength: size, maxLength: size }),
  names: fc.array(name, { minLength: size, maxLength: size }),
  others: fc.array(name, { minLength: size, maxLength: size }),
  queries: fc.array(query, { minLength: 8, maxLength: 8 }),
});

/** Each shelf holds one book; one book is on none. */
async function store({ entities }: Pick<Stores, 'entities'>, world: World, names: World['names']): Promise<void> {
  const moments = { createdAt: now, updatedAt: now };
  for (const [at, id] of shelfIds.entries()) {
    const row: EntityRow = { id, ...world.rows[at]!, name: names[at] ?? null, code: String(names[at]), ...moments };
    await entities.create('shelves', row);
  }
  for (const [at, id] of bookIds.entries()) {
    await entities.create('books', { id, title: 'T', shelfId: shelfIds[at] ?? null, ...moments });
  }
}

class Undone extends Error {}

type App = ReturnType<typeof serveEntities>;

async function ask(app: App, query: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await app.request('/books/query', { method: 'POST', headers, body: JSON.stringify(query) })).json();
}

type Direction = 'asc' | 'desc';

interface Page {
  readonly items: readonly EntityRow[];
  readonly nextCursor: string | null;
}

/** Lists all books in pages of two, in the order of the names of their shelves. */
async function walk(app: App, direction: Direction): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = (await ask(app, { orderBy: `shelf.name:${direction}`, limit: 2, ...(after && { after }) })) as Page;
    pages.push(page);
    after = page.nextCursor;
  }
  return pages;
}

/** Sorts books by what the caller can read of the names of their shelves. */
function sortNaively(names: World['names'], isReadable: readonly boolean[], direction: Direction): readonly string[] {
  const sign = direction === 'asc' ? 1 : -1;
  const keys = bookIds.map((id, at) => ({ id, name: (isReadable[at] ? names[at] : null) ?? null }));
  const sorted = keys.toSorted((a, b) => {
    if (a.name === b.name) return a.id < b.id ? -sign : sign;
    if (a.name === null || b.name === null) return a.name === null ? sign : -sign;
    return a.name < b.name ? -sign : sign;
  });
  return sorted.map(({ id }) => id);
}

const directions = ['asc', 'desc'] as const;

/** Sends the queries to an app whose database has these names, and leaves nothing there. */
async function responsesOf(stores: Stores, world: World, names: World['names']): Promise<readonly unknown[]> {
  const responses: unknown[] = [];
  const attempt = stores.transaction(async (inside) => {
    await store(inside, world, names);
    const within = { ...stores, entities: inside.entities };
    const app = serveEntities(createEntities({ entities: entitiesWith(world.rule), stores: within }), world.caller);
    for (const { where } of world.queries) responses.push(await ask(app, { where, count: true }));
    for (const direction of directions) responses.push(await walk(app, direction));
    throw new Undone();
  });
  await expect(attempt).rejects.toThrow(Undone);
  return responses;
}

const isDeep = process.env['DEEP'] !== undefined;

/** How many worlds, each with eight queries on two databases. */
const engines = [
  ['memory', isDeep ? 5000 : 40],
  ['sqlite', isDeep ? 5000 : 40],
  ['postgres', isDeep ? 500 : 20],
] as const;

describe.each(engines)('a filter or an order by related records on %s', (engine, numRuns) => {
  let database: PostgresDatabase | null = null;
  let stores: Stores;

  beforeAll(async () => {
    database = engine === 'postgres' ? await createMigratedDatabase() : null;
    stores = database
      ? createPostgresStores({ patience: patient, url: database.url, clock, entities: tables })
      : engine === 'sqlite'
        ? createSqliteStores({ patience: patient, path: ':memory:', clock, entities: tables })
        : createMemoryStores({ clock, entities: tables });
    await stores.migrate();
  });

  afterAll(async () => {
    await stores.close();
    await database?.drop();
  });

  it(
    'goes by those that the caller may read, and says nothing of any other',
    async () => {
      let found = 0;
      const agrees = fc.asyncProperty(anyWorld, async (world) => {
        const { caller, rule, rows, names, others, queries } = world;
        const isReadable = rows.map((row) => naivelySatisfies({ caller, now, rule }, row));
        const responses = await responsesOf(stores, world, names);
        for (const [index, { where, holds }] of queries.entries()) {
          const ids = bookIds.filter((_, at) => isReadable[at] && holds(names[at] ?? null) === true);
          const { items, total } = responses[index] as { readonly items: readonly EntityRow[]; readonly total: number };
          expect([items.map(({ id }) => id), total], JSON.stringify(where)).toEqual([ids, ids.length]);
          found += total;
        }
        for (const [index, direction] of directions.entries()) {
          const pages = responses[queries.length + index] as readonly Page[];
          const ids = pages.flatMap(({ items }) => items.map(({ id }) => id));
          expect(ids, direction).toEqual(sortNaively(names, isReadable, direction));
        }
        const hidden = names.map((each, at) => (isReadable[at] ? each : others[at]!));
        expect(await responsesOf(stores, world, hidden)).toEqual(responses);
      });
      await fc.assert(agrees, { numRuns });
      expect(found).toBeGreaterThan(numRuns);
    },
    isDeep ? 600_000 : 60_000,
  );
});
