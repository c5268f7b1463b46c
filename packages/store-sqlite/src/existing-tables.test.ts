import type { EntityStore, EntityTable, OwnMigration } from '@x/store';
import { all, eq, isIn } from '@x/store/where';
import { createSqlStores, type SqlDriver } from '@x/store-sql';
import { ManualClock } from '@x/store-testing/clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations } from './migrations/migrations.ts';

const existing = { columnNames: {}, version: null, isReadOnly: false };
const entities: readonly EntityTable[] = [
  {
    name: 'authors',
    key: { type: 'integer', isGenerated: true },
    existing: { ...existing, table: 'authors', columnNames: { id: 'no' } },
    columns: [{ name: 'name', type: 'text', nullable: false }],
    indexes: [],
  },
  {
    name: 'books',
    key: { type: 'text' },
    existing: { ...existing, table: 'books', columnNames: { id: 'isbn', authorId: 'author' } },
    columns: [
      { name: 'authorId', type: 'text', nullable: false, references: { entity: 'authors', onDelete: 'restrict' } },
      { name: 'title', type: 'text', nullable: false },
    ],
    indexes: [],
  },
];

const clock = new ManualClock();
let driver: SqlDriver;
let store: EntityStore;
let lastText = '';

/** Opens a database that has the tables, and none of ours. */
async function openShop(): Promise<SqlDriver> {
  const opened = createSqliteDriver({ path: ':memory:', clock, synchronous: 'FULL', migrations });
  for (const statement of [
    'CREATE TABLE authors (no INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL)',
    'CREATE TABLE books (isbn TEXT PRIMARY KEY NOT NULL, author INTEGER NOT NULL, title VARCHAR(90) NOT NULL)',
    'CREATE INDEX by_author ON books (author, title)',
  ]) {
    await opened.execute(statement, []);
  }
  return opened;
}

beforeAll(async () => {
  driver = await openShop();
  const noting: SqlDriver = {
    ...driver,
    read: async (text, values) => driver.read((lastText = text), values),
    query: async (text, values, options) => driver.query((lastText = text), values, options),
    attempt: async (text, values) => driver.attempt((lastText = text), values),
  };
  const stores = createSqlStores({ driver: noting, clock, entities });
  await stores.migrate();
  store = stores.entities;
});

afterAll(async () => driver.close());

async function planOf(step: Promise<unknown>): Promise<string> {
  await step;
  const rows = await driver.read(
    `EXPLAIN QUERY PLAN ${lastText}`,
    Array.from({ length: 32 }, () => null),
  );
  return rows.map((row) => String(row['detail'])).join('\n');
}

it('finds rows of an existing table by its own keys and indexes', async () => {
  expect(await planOf(store.get('authors', '7', all))).toMatch(/SEARCH authors USING INTEGER PRIMARY KEY \(rowid=\?\)/);
  expect(await planOf(store.get('books', 'x', all))).toMatch(/SEARCH books USING INDEX \S+ \(isbn=\?\)/);
  expect(await planOf(store.update('books', 'x', { values: { title: 'y' }, where: all }))).toMatch(
    /SEARCH books USING INDEX \S+ \(isbn=\?\)/,
  );
  const related = { column: 'authorId', values: ['1', '2'], where: all, limitEach: 5 };
  expect(await planOf(store.listRelated('books', related))).toMatch(/SEARCH row_ USING INDEX by_author \(author=\?\)/);
  const listing = { order: [{ column: 'id', direction: 'asc' } as const], after: null, limit: 20 };
  expect(await planOf(store.list('authors', { ...listing, where: isIn('id', ['1', '2']) }))).toMatch(
    /SEARCH authors USING INTEGER PRIMARY KEY/,
  );
  const where = eq('authorId', '1');
  const order = [{ column: 'title', direction: 'asc' } as const, ...listing.order];
  expect(await planOf(store.list('books', { ...listing, where, order }))).toMatch(
    /SEARCH books USING INDEX by_author \(author=\?\)/,
  );
});

it('keeps what goes with a row whose version is another', async () => {
  const [authors, books] = entities as readonly [EntityTable, EntityTable];
  const cascading = books.columns.map((column) =>
    column.references ? { ...column, references: { ...column.references, onDelete: 'cascade' as const } } : column,
  );
  const opened = await openShop();
  const stores = createSqlStores({ driver: opened, clock, entities: [authors, { ...books, columns: cascading }] });
  await stores.migrate();
  const { row, version } = await stores.entities.create('authors', { name: 'Ada' });
  await stores.entities.create('books', { id: 'x', authorId: row.id, title: 'Notes' });
  expect(await stores.entities.delete('authors', row.id, { where: all, version: version + 1 })).toBeNull();
  expect(await stores.entities.get('books', 'x', all)).not.toBeNull();
  expect(await stores.entities.delete('authors', row.id, { where: all, version })).toEqual({ row, version });
  expect(await stores.entities.get('books', 'x', all)).toBeNull();
  await opened.close();
});

it('compares existing tables after the steps of the app that create them', async () => {
  const opened = createSqliteDriver({ path: ':memory:', clock, synchronous: 'FULL', migrations });
  const step: OwnMigration = {
    id: 'authors',
    up: async (sql) => void (await sql`CREATE TABLE authors (no INTEGER PRIMARY KEY, name TEXT NOT NULL)`),
  };
  const stores = createSqlStores({ driver: opened, clock, entities: entities.slice(0, 1), migrations: [step] });
  expect((await stores.planMigration()).problems).toEqual([]);
  await stores.migrate();
  expect(await stores.entities.count('authors', all)).toBe(0);
  await opened.close();
});

it('plans a migration of a database that has existing tables alone', async () => {
  const opened = await openShop();
  const stores = createSqlStores({ driver: opened, clock, entities });
  expect(await stores.planMigration()).toEqual({ steps: [], problems: [], notices: [] });
  await opened.close();
});

it('is referred to from the same file alone', async () => {
  const opened = await openShop();
  await opened.execute("ATTACH ':memory:' AS other", []);
  await opened.execute('CREATE TABLE other.authors (no INTEGER PRIMARY KEY, name TEXT NOT NULL)', []);
  const toAuthors = (table: string): EntityTable => ({
    ...(entities[0] as EntityTable),
    existing: { ...existing, table, columnNames: { id: 'no' } },
  });
  const reference = { entity: 'authors', onDelete: 'cascade' } as const;
  const notes: EntityTable = {
    name: 'notes',
    columns: [{ name: 'authorId', type: 'text', nullable: false, references: reference }],
    indexes: [],
  };
  const refused = createSqlStores({ driver: opened, clock, entities: [notes, toAuthors('other.authors')] });
  await expect(refused.migrate()).rejects.toThrow('notes.authorId: other.authors.no is in another file');
  const stores = createSqlStores({ driver: opened, clock, entities: [notes, toAuthors('main.authors')] });
  await stores.migrate();
  const { row } = await stores.entities.create('authors', { name: 'Ada' });
  await stores.entities.create('notes', { id: 'n', authorId: row.id });
  await stores.entities.delete('authors', row.id, { where: all });
  expect(await stores.entities.count('notes', all)).toBe(0);
  await opened.close();
});
