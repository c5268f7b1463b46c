import { inspectTables } from '@x/store-sql';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase } from '@x/test-support/database';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { inspector } from './inspect.ts';
import { query } from './testing/faulty-network.ts';

async function inspect(statements: string, ...names: readonly string[]): Promise<string> {
  const database = await createPostgresDatabase();
  const { url } = database;
  onTestFinished(async () => {
    await query(url, 'DROP SCHEMA IF EXISTS legacy CASCADE');
    await database.drop();
  });
  await query(url, statements);
  const driver = createPostgresDriver({
    url,
    clock: new ManualClock(),
    maxConnections: 1,
    migrations: [],
    patience: patient,
  });
  onTestFinished(() => driver.close());
  return inspectTables(driver, inspector, names);
}

it('prints a field for each column that can be served, and says why another can not', async () => {
  const table = `
    CREATE SCHEMA legacy;
    CREATE TYPE legacy.mood AS ENUM ('glad', 'it''s');
    CREATE TABLE legacy."Old Things" (
      no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, small SMALLINT DEFAULT 3, serial SERIAL, weight REAL,
      ratio DOUBLE PRECISION DEFAULT 1.5, price NUMERIC(12, 2) DEFAULT -0.5, huge NUMERIC, done BOOLEAN NOT NULL DEFAULT FALSE,
      "user-Name" VARCHAR(40) NOT NULL UNIQUE, note TEXT DEFAULT 'it''s', flag CHAR(3), mood legacy.mood DEFAULT 'glad',
      at TIMESTAMPTZ NOT NULL DEFAULT now(), placed TIMESTAMP, day DATE DEFAULT '2026-01-31', rest JSONB DEFAULT '{"a": [1]}', other JSON,
      state VARCHAR(10) NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'it''s')), kind TEXT CHECK (kind IN ('a', 'b')),
      code UUID DEFAULT gen_random_uuid(), picture BYTEA, place POINT, tags TEXT[], sum INTEGER GENERATED ALWAYS AS (1 + 1) STORED,
      id TEXT, lock_version INTEGER NOT NULL, created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ,
      UNIQUE (state, day), UNIQUE (state, picture)
    )`;
  expect(await inspect(table, 'legacy.Old Things')).toMatchInlineSnapshot(`
    "import { defineModel, field } from '@x/entity';

    export const oldThingsModel = defineModel('old-things', {
      table: 'legacy.Old Things',
      managed: false,
      id: field.integer({ generated: 'database' }),
      columns: { id: 'no', userName: 'user-Name', idValue: 'id', updatedAtValue: 'updated_at', updatedAt: null },
      // Each change raises it. If it means something else, declare it as a field.
      version: 'lock_version',
      fields: {
        small: field.integer({ nullable: true, default: 3 }),
        // serial: new records do not get the default of the database, nextval('legacy."Old Things_serial_seq"'::regclass).
        serial: field.integer(),
        weight: field.number({ nullable: true }),
        ratio: field.number({ nullable: true, default: 1.5 }),
        price: field.decimal(12, 2, { nullable: true, default: '-0.50' }),
        // huge: numeric is rounded to what a number holds.
        huge: field.number({ nullable: true }),
        done: field.boolean({ default: false }),
        userName: field.text({ maxLength: 40, unique: true }),
        note: field.text({ nullable: true, default: "it's" }),
        // flag: character(3) holds no value of a field.
        mood: field.enum(['glad', "it's"], { nullable: true, default: 'glad' }),
        at: field.timestamp({ default: 'now' }),
        placed: field.timestamp({ nullable: true }),
        day: field.date({ nullable: true, default: '2026-01-31' }),
        rest: field.json({ nullable: true, default: { a: [1] } }),
        other: field.json({ nullable: true }),
        state: field.text({ maxLength: 10, default: 'open' }),
        kind: field.enum(['a', 'b'], { nullable: true }),
        code: field.uuid({ nullable: true, generated: true }),
        // picture: bytea holds no value of a field.
        // place: point holds no value of a field.
        // tags: text[] holds no value of a field.
        // sum: the database computes it.
        idValue: field.text({ nullable: true }),
        updatedAtValue: field.timestamp({ nullable: true }),
      },
      unique: [['state', 'day']],
    });
    "
  `);
});

it('prints references between the tables that are given, and reads those whose rows can not be made', async () => {
  const tables = `
    CREATE TABLE groups (code TEXT PRIMARY KEY);
    CREATE TABLE owners (id UUID PRIMARY KEY DEFAULT gen_random_uuid(), above UUID REFERENCES owners ON DELETE SET NULL);
    CREATE TABLE items (
      id TEXT PRIMARY KEY, owner_id UUID NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
      group_code TEXT REFERENCES groups, picture BYTEA NOT NULL
    );
    CREATE VIEW counts AS SELECT owner_id AS id, COUNT(*) AS items FROM items GROUP BY owner_id`;
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
        ownerId: field.uuid({ references: 'owners', onDelete: 'cascade' }),
        // group_code: refers to groups; inspect both to declare that.
        groupCode: field.text({ nullable: true }),
        // picture: bytea holds no value of a field.
      },
    });

    export const ownersModel = defineModel('owners', {
      table: 'owners',
      managed: false,
      id: field.uuid({ generated: 'database' }),
      columns: { createdAt: null, updatedAt: null },
      fields: {
        above: field.uuid({ references: 'owners', onDelete: 'setNull', nullable: true }),
      },
    });

    export const countsModel = defineModel('counts', {
      table: 'counts',
      managed: false,
      // An id has to be a column whose values no two rows have together.
      id: field.uuid(),
      columns: { createdAt: null, updatedAt: null },
      readOnly: true,
      fields: {
        items: field.integer({ nullable: true }),
      },
    });
    "
  `);
});

it('names every table that is missing, or has no key', async () => {
  const table = 'CREATE TABLE pairs (a INTEGER, b INTEGER, PRIMARY KEY (a, b))';
  await expect(inspect(table, 'pairs')).rejects.toMatchObject({ problems: [expect.stringContaining('pairs has no')] });
  await expect(inspect('', 'a', 'public.b')).rejects.toMatchObject({
    problems: ['There is no table a.', 'There is no table public.b.'],
  });
});
