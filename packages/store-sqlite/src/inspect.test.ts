import { inspectTables } from '@x/store-sql';
import { ManualClock } from '@x/store-testing/clock';
import { expect, it, onTestFinished } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { inspector } from './inspect.ts';

async function inspect(statements: readonly string[], ...names: readonly string[]): Promise<string> {
  const driver = createSqliteDriver({
    path: ':memory:',
    clock: new ManualClock(),
    synchronous: 'FULL',
    migrations: [],
  });
  onTestFinished(() => driver.close());
  for (const statement of statements) await driver.execute(statement, []);
  return inspectTables(driver, inspector, names);
}

it('prints a field for each column that can be served, and says why another can not', async () => {
  const table = `CREATE TABLE "Old Things" (
    no INTEGER PRIMARY KEY, count BIGINT DEFAULT 3, weight REAL, ratio NUMERIC DEFAULT 1.5, price DECIMAL(12, 2) DEFAULT 0,
    huge DECIMAL(30, 10), done BOOLEAN NOT NULL DEFAULT FALSE, "user-Name" VARCHAR(40) NOT NULL UNIQUE, note TEXT DEFAULT 'it''s',
    at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, day DATE, rest JSON DEFAULT '[]', state TEXT NOT NULL DEFAULT 'open'
      CHECK (state IN ('open', 'it''s')), picture BLOB, code UUID, sum INTEGER AS (count + 1), id TEXT, class TEXT DEFAULT (lower('A')),
    version INTEGER NOT NULL, created_at DATETIME NOT NULL, updated_at DATETIME, UNIQUE (state, day), UNIQUE (state, picture)
  )`;
  expect(await inspect([table], 'Old Things')).toMatchInlineSnapshot(`
    "import { defineModel, field } from '@x/entity';

    export const oldThingsModel = defineModel('old-things', {
      table: 'Old Things',
      managed: false,
      id: field.integer({ generated: 'database' }),
      columns: { id: 'no', userName: 'user-Name', idValue: 'id', updatedAtValue: 'updated_at', updatedAt: null },
      // Each change raises it. If it means something else, declare it as a field.
      version: 'version',
      fields: {
        count: field.integer({ nullable: true, default: 3 }),
        weight: field.number({ nullable: true }),
        // ratio: NUMERIC is rounded to what a number holds.
        ratio: field.number({ nullable: true, default: 1.5 }),
        price: field.decimal(12, 2, { nullable: true, default: '0.00' }),
        // huge: DECIMAL(30, 10) is rounded to what a number holds.
        huge: field.number({ nullable: true }),
        done: field.boolean({ default: false }),
        userName: field.text({ maxLength: 40, unique: true }),
        note: field.text({ nullable: true, default: "it's" }),
        at: field.timestamp({ default: 'now' }),
        day: field.date({ nullable: true }),
        rest: field.json({ nullable: true, default: [] }),
        state: field.enum(['open', "it's"], { default: 'open' }),
        // picture: BLOB holds no value of a field.
        // code: UUID holds no value of a field.
        // sum: the database computes it.
        idValue: field.text({ nullable: true }),
        // class: new records do not get the default of the database, lower('A').
        class: field.text({ nullable: true }),
        updatedAtValue: field.timestamp({ nullable: true }),
      },
      unique: [['state', 'day']],
    });
    "
  `);
});

it('prints references between the tables that are given, and reads those whose rows can not be made', async () => {
  const tables = [
    'CREATE TABLE groups (code TEXT PRIMARY KEY NOT NULL)',
    'CREATE TABLE owners (id INTEGER PRIMARY KEY, above INTEGER REFERENCES owners ON DELETE SET NULL)',
    `CREATE TABLE items (
      id TEXT PRIMARY KEY NOT NULL, owner_id INTEGER NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
      group_code TEXT REFERENCES groups, picture BLOB NOT NULL
    )`,
    'CREATE VIEW counts AS SELECT owner_id AS id, COUNT(*) AS items FROM items GROUP BY owner_id',
  ];
  expect(await inspect(tables, 'items', 'owners', 'counts')).toMatchInlineSnapshot(`
    "import { defineModel, field } from '@x/entity';

    export const itemsModel = defineModel('items', {
      table: 'items',
      managed: false,
      id: field.text(),
      columns: { createdAt: null, updatedAt: null },
      // New rows need a value in a column that no field holds.
      readOnly: true,
      fields: {
        ownerId: field.integer({ references: 'owners', onDelete: 'cascade' }),
        // group_code: refers to groups; inspect both to declare that.
        groupCode: field.text({ nullable: true }),
        // picture: BLOB holds no value of a field.
      },
    });

    export const ownersModel = defineModel('owners', {
      table: 'owners',
      managed: false,
      id: field.integer({ generated: 'database' }),
      columns: { createdAt: null, updatedAt: null },
      fields: {
        above: field.integer({ references: 'owners', onDelete: 'setNull', nullable: true }),
      },
    });

    export const countsModel = defineModel('counts', {
      table: 'counts',
      managed: false,
      // An id has to be a column whose values no two rows have together.
      id: field.integer(),
      columns: { createdAt: null, updatedAt: null },
      readOnly: true,
      fields: {
        // items: it has no type.
      },
    });
    "
  `);
});

it('names every table that is missing, or has no key', async () => {
  const table = 'CREATE TABLE pairs (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b))';
  const index = 'CREATE UNIQUE INDEX sums ON pairs (a + b)';
  await expect(inspect([table, index], 'pairs')).rejects.toMatchObject({
    problems: [expect.stringContaining('pairs has no')],
  });
  await expect(inspect([], 'a', 'main.b')).rejects.toMatchObject({
    problems: ['There is no table a.', 'There is no table main.b.'],
  });
});
