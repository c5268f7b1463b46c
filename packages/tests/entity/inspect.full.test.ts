import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createEntities, defineEntity, type Entity, type Model, toEntityTables } from '@x/entity';
import type { Stores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase } from '@x/test-support/database';
import { compile, runCommand } from '@x/test-support/packed';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

// What `npx @x/store-… inspect` prints is a module that type-checks, and models that a start accepts and rows fit.

const root = join(import.meta.dirname, '../../..');

type Engine = 'sqlite' | 'postgres';

/** A database that a person has made. */
interface Place {
  /** The path or the URL. */
  readonly at: string;
  run(statement: string): Promise<void>;
  open(models: readonly Model[]): Stores;
}

/** What the compiler knows of the sources of the packages, which all modules import. */
const checked = join(mkdtempSync(join(tmpdir(), 'inspected-')), 'checked.tsbuildinfo');

const options = { clock: new ManualClock(), patience: patient };

async function createPlace(engine: Engine, folder: string): Promise<Place> {
  if (engine === 'sqlite') {
    const path = join(folder, 'their.db');
    return {
      at: path,
      run: async (statement) => {
        const database = new DatabaseSync(path);
        database.exec(statement);
        database.close();
      },
      open: (models) => createSqliteStores({ path, ...options, entities: toEntityTables(models) }),
    };
  }
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  const { url } = database;
  const open = (models: readonly Model[]): Stores =>
    createPostgresStores({ url, ...options, entities: toEntityTables(models) });
  const plain = open([]);
  onTestFinished(() => plain.close());
  await plain.migrate();
  return {
    at: url,
    run: async (statement) => void (await plain.sql(Object.assign([statement], { raw: [statement] }))),
    open,
  };
}

/** Modules in this folder resolve packages as an app does. */
function createFolder(): string {
  const folder = join(import.meta.dirname, '../node_modules', `.inspected-${crypto.randomUUID()}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code?: number;
}

function inspect(engine: Engine, ...args: readonly string[]): Promise<Ran> {
  const command = join(root, `packages/store-${engine}/src/command.ts`);
  return promisify(execFile)(process.execPath, [command, ...args]).catch((failed: Ran) => failed);
}

/** Inspects tables, checks what is printed, and returns its models. */
async function inspectAll(engine: Engine, folder: string, place: Place, tables: readonly string[]): Promise<Model[]> {
  const { stdout, stderr, code = 0 } = await inspect(engine, 'inspect', place.at, ...tables);
  expect([code, stderr]).toEqual([0, '']);
  writeFileSync(join(folder, 'models.ts'), stdout);
  writeFileSync(join(folder, 'models.mjs'), stdout);
  const known = { incremental: true, tsBuildInfoFile: checked };
  const compilerOptions = { noEmit: true, declaration: false, isolatedDeclarations: false, ...known };
  const project = { extends: join(root, 'tsconfig.base.json'), compilerOptions, files: ['models.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  await compile(folder);
  const format = ['--config', join(root, '.prettierrc.json'), '--with-node-modules', '--ignore-path', 'none'];
  expect(await runCommand(root, 'node_modules/.bin/prettier', [...format, join(folder, 'models.mjs')])).toBe(stdout);
  return Object.values((await import(pathToFileURL(join(folder, 'models.mjs')).href)) as Record<string, Model>);
}

/** Starts with models, which compares them with the tables. */
async function serve(place: Place, models: readonly Model[]) {
  const stores = place.open(models);
  onTestFinished(() => stores.close());
  await stores.migrate();
  const access = { list: false, get: false, create: false, update: false, delete: false } as const;
  const entities = models.map((model) => defineEntity({ model, access }));
  return { entities, app: createEntities({ entities, stores }).asSystem() };
}

/** A column, a value of it as SQL, and the type of its field; null for one that has none. */
type Column = readonly [type: string, value: string, field: string | null];

const columns: Readonly<Record<Engine, readonly Column[]>> = {
  sqlite: [
    ['INTEGER', '7', 'integer'],
    ['BIGINT', '1700000000000', 'integer'],
    ['TINYINT(1)', '1', 'integer'],
    ['REAL', '1.5', 'number'],
    ['DOUBLE PRECISION', '2', 'number'],
    ['NUMERIC', '1.25', 'number'],
    ['DECIMAL(10, 2)', '12.5', 'decimal'],
    ['NUMERIC(20, 4)', '3.5', 'number'],
    ['BOOLEAN', 'TRUE', 'boolean'],
    ['TEXT', "'a'", 'text'],
    ['VARCHAR(30)', "'it''s'", 'text'],
    ['CHARACTER(20)', "'b'", 'text'],
    ['CLOB', "'c'", 'text'],
    ['DATETIME', "'2026-01-31 10:00:00'", 'timestamp'],
    ['TIMESTAMP', "'2026-01-31T10:00:00Z'", 'timestamp'],
    ['DATE', "'2026-01-31'", 'date'],
    ['JSON', `'{"a":[1]}'`, 'json'],
    ['BLOB', "x'00'", null],
    ['UUID', "'x'", null],
    ['', '1', null],
  ],
  postgres: [
    ['SMALLINT', '7', 'integer'],
    ['INTEGER', '7', 'integer'],
    ['BIGINT', '1700000000000', 'integer'],
    ['REAL', '1.5', 'number'],
    ['DOUBLE PRECISION', '2', 'number'],
    ['NUMERIC', '1.25', 'number'],
    ['NUMERIC(10, 2)', '12.5', 'decimal'],
    ['NUMERIC(20, 4)', '3.5', 'number'],
    ['NUMERIC(3, -2)', '300', 'number'],
    ['BOOLEAN', 'TRUE', 'boolean'],
    ['TEXT', "'a'", 'text'],
    ['VARCHAR', "'b'", 'text'],
    ['VARCHAR(30)', "'it''s'", 'text'],
    ['mood', "'glad'", 'enum'],
    ['UUID', "'3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f'", 'uuid'],
    ['TIMESTAMPTZ', "'2026-01-31 10:00:00+00'", 'timestamp'],
    ['TIMESTAMP(3)', "'2026-01-31 10:00:00'", 'timestamp'],
    ['DATE', "'2026-01-31'", 'date'],
    ['JSON', `'{"a":[1]}'`, 'json'],
    ['JSONB', `'[1]'`, 'json'],
    ['CHAR(3)', "'abc'", null],
    ['BYTEA', "'x'", null],
    ['TIME', "'10:00'", null],
    ['INTERVAL', "'1 day'", null],
    ['TEXT[]', "'{a}'", null],
    ['INET', "'10.0.0.1'", null],
    ['positive', '1', null],
  ],
};

const keys: Readonly<Record<Engine, readonly (readonly [definition: string, value: string])[]>> = {
  sqlite: [
    ['id INTEGER PRIMARY KEY', '41'],
    ['"No." INTEGER PRIMARY KEY AUTOINCREMENT', '41'],
    ['code TEXT PRIMARY KEY NOT NULL', "'x'"],
    ['code VARCHAR(20) NOT NULL UNIQUE', "'x'"],
  ],
  postgres: [
    ['id BIGSERIAL PRIMARY KEY', '41'],
    ['"No." INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY', '41'],
    ['code TEXT PRIMARY KEY', "'x'"],
    ['id UUID PRIMARY KEY DEFAULT gen_random_uuid()', "'3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f'"],
    ['id UUID PRIMARY KEY', "'3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f'"],
  ],
};

/** A table with some of the columns: which ones, and whether each is required, unique, or has a default. */
const table = (engine: Engine) =>
  fc.record({
    key: fc.constantFrom(...keys[engine]),
    columns: fc.array(
      fc.record({
        column: fc.constantFrom(...columns[engine]),
        isRequired: fc.boolean(),
        isUnique: fc.boolean(),
        hasDefault: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  });

type Generated = typeof table extends (engine: Engine) => fc.Arbitrary<infer T> ? T : never;

const noKeys = ['JSON', 'POINT'];

function toDefinition(name: string, { key, columns: some }: Generated): string {
  const parts = some.map(({ column: [type, value], isRequired, isUnique, hasDefault }, at) => {
    const unique = isUnique && !noKeys.includes(type) ? ' UNIQUE' : '';
    return `c_${at} ${type}${isRequired ? ' NOT NULL' : ''}${hasDefault ? ` DEFAULT ${value}` : ''}${unique}`;
  });
  return `CREATE TABLE ${name} (${[key[0], ...parts].join(', ')})`;
}

function toRow(name: string, { key, columns: some }: Generated): string {
  const names = [/^("[^"]+"|\w+)/.exec(key[0])?.[0], ...some.map((_, at) => `c_${at}`)];
  return `INSERT INTO ${name} (${names.join(', ')}) VALUES (${[key[1], ...some.map(({ column }) => column[1])].join(', ')})`;
}

describe.each(['sqlite', 'postgres'] as const)('inspect on %s', (engine) => {
  it('prints models of tables with columns of any type', { timeout: 120_000 }, async () => {
    const folder = createFolder();
    const place = await createPlace(engine, folder);
    if (engine === 'postgres') {
      await place.run("CREATE TYPE mood AS ENUM ('glad', 'sad')");
      await place.run('CREATE DOMAIN positive AS INTEGER CHECK (value > 0)');
    }
    const each = columns[engine].map((column) => ({ column, isRequired: false, isUnique: false, hasDefault: true }));
    const [key] = keys[engine];
    const all: Generated = { key: key ?? ['', ''], columns: each };
    const tables = [all, ...fc.sample(table(engine), process.env['DEEP'] ? 200 : 20)];
    const names = tables.map((_, at) => `t_${100 + at}`);
    for (const [at, generated] of tables.entries()) {
      await place.run(toDefinition(`t_${100 + at}`, generated));
      await place.run(toRow(`t_${100 + at}`, generated));
    }
    const models = await inspectAll(engine, folder, place, names);
    expect(models.map(({ existing }) => existing?.table)).toEqual(names);
    expect(columns[engine].map((_, at) => models[0]?.fields[`c${at}`]?.type ?? null)).toEqual(
      columns[engine].map(([, , type]) => type),
    );
    const { app, entities } = await serve(place, models);
    for (const entity of entities) {
      const listed = await app.list(entity, {});
      const [record] = listed.ok ? listed.value.items : [];
      expect(record).toBeDefined();
      const needed = Object.keys(entity.model.fields);
      expect(Object.entries(record ?? {}).filter(([name, value]) => needed.includes(name) && value === null)).toEqual(
        [],
      );
      if (!entity.model.existing?.isReadOnly) await change(app, entity, String(record?.['id']));
    }
  });

  it('prints models that refer to each other, and those of views', { timeout: 120_000 }, async () => {
    const folder = createFolder();
    const place = await createPlace(engine, folder);
    const example = readFileSync(join(root, 'examples/existing-database/shop.sql'), 'utf8');
    const script =
      engine === 'sqlite'
        ? example
        : example.replaceAll('DATETIME', 'TIMESTAMP(3)').replace('INTEGER PRIMARY KEY', 'SERIAL PRIMARY KEY');
    for (const statement of script.split(';').filter((text) => text.trim() !== '')) await place.run(statement);
    await place.run('CREATE VIEW totals AS SELECT customer AS id, total FROM orders');
    const models = await inspectAll(engine, folder, place, ['customers', 'orders', 'totals']);
    const { app, entities } = await serve(place, models);
    const [customers, orders, totals] = entities;
    if (!customers || !orders || !totals) throw new TypeError('A model is missing.');
    expect(orders.model.fields['customer']?.options).toEqual({ references: 'customers' });
    expect(await app.list(totals, {})).toMatchObject({ ok: true, value: { items: [{ id: '1' }] } });
    const order = { id: 'n-1', customer: '2', total: '9.00', placed: new Date(0), changed: new Date(0) };
    expect(await app.create(orders, order)).toMatchObject({
      ok: true,
      value: { record: { paid: false, customer: '2' } },
    });
    expect(await app.create(orders, { ...order, id: 'n-2', customer: '3' })).toMatchObject({ ok: false });
  });

  it('says in words what is wrong', async () => {
    const folder = createFolder();
    const place = await createPlace(engine, folder);
    await place.run('CREATE TABLE pairs (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b))');
    const wrong = engine === 'sqlite' ? join(folder, 'none.db') : 'postgres://x:secret@127.0.0.1:1/none';
    const failed = [
      await inspect(engine, 'inspect', place.at, 'pairs'),
      await inspect(engine, 'inspect', place.at, 'nothing'),
      await inspect(engine, 'inspect', wrong, 'pairs'),
      await inspect(engine, 'inspect', engine === 'sqlite' ? folder : 'their.db', 'pairs'),
      await inspect(engine, 'inspect', place.at),
    ];
    expect(failed.map(({ code, stdout }) => [code, stdout])).toEqual([
      [1, ''],
      [1, ''],
      [1, ''],
      [1, ''],
      [2, ''],
    ]);
    for (const { stderr } of failed) expect(stderr).not.toMatch(/^ +at |secret/m);
  });
});

/** Writes what a record has already, which its columns therefore hold. */
async function change(app: Awaited<ReturnType<typeof serve>>['app'], entity: Entity, id: string): Promise<void> {
  const found = await app.get(entity, id);
  if (!found.ok) throw new TypeError(`There is no ${entity.name} ${id}.`);
  const values = Object.entries(found.value.record as Readonly<Record<string, unknown>>).filter(([name]) =>
    Object.hasOwn(entity.model.fields, name),
  );
  const updated = await app.update(entity, id, Object.fromEntries(values));
  expect(updated).toMatchObject({ ok: true, value: { record: Object.fromEntries(values) } });
}
