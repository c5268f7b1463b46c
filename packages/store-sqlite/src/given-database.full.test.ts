import { describeStores, sampleEntities, patient } from '@x/store-testing';
import Database from 'better-sqlite3';
import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { makeTemporaryFolder, useTemporaryFolder } from './testing/temporary-folder.ts';

describeStores(
  'sqlite, on a database of the app,',
  {
    hasSql: true,
    async createDatabase() {
      const folder = await makeTemporaryFolder();
      const opened: (() => Promise<void>)[] = [];
      return {
        async open(clock) {
          const database = new Database(`${folder}/test.db`, { timeout: 0 });
          database.defaultSafeIntegers(true);
          const stores = createSqliteStores({ patience: patient, database, clock, entities: sampleEntities });
          await stores.migrate();
          opened.push(async () => {
            await stores.close();
            database.close();
          });
          return stores;
        },
        async drop() {
          await Promise.all(opened.map((close) => close()));
          await rm(folder, { recursive: true });
        },
      };
    },
  },
  { only: ['sql'] },
);

it('shares a database in memory with the app, and leaves it open', async () => {
  const database = new Database(':memory:');
  database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT); INSERT INTO orders (state) VALUES ('new')");
  const stores = createSqliteStores({ patience: patient, database });
  await stores.migrate();
  await stores.transaction(async (tx) => {
    await tx.counters.add('orders', 1);
    expect(tx.raw).toBe(database);
    await tx.sql`INSERT INTO orders (state) VALUES (${'late'})`;
  });
  await stores.close();
  expect(database.prepare('SELECT state FROM orders ORDER BY id').pluck().all()).toEqual(['new', 'late']);
  expect(database.prepare("SELECT value FROM auth_counters WHERE name = 'orders'").pluck().get()).toBe(1);
  database.close();
});

it('waits for a transaction of the app, and does not roll it back', async () => {
  await using temporary = await useTemporaryFolder();
  const database = new Database(`${temporary.folder}/test.db`);
  const stores = createSqliteStores({ patience: patient, database });
  await stores.migrate();
  database.exec('CREATE TABLE orders (state TEXT); BEGIN');
  database.exec("INSERT INTO orders VALUES ('new')");
  const waiting = stores.counters.add('orders', 1);
  expect(await stores.counters.read('orders')).toBe(0);
  database.exec('COMMIT');
  expect(await waiting).toBe(1);
  expect(database.prepare('SELECT COUNT(*) FROM orders').pluck().get()).toBe(1);
  await stores.backup(`${temporary.folder}/copy.db`);
  await stores.close();
  database.close();
});

it('needs a path or an open database of better-sqlite3 that can be written', async () => {
  const create = createSqliteStores as (options: object) => unknown;
  const database = new Database(':memory:');
  expect(() => create({})).toThrow('path, database: the stores need one of them.');
  expect(() => create({ path: ':memory:', database })).toThrow('path, database: the stores need one of them.');
  expect(() => create({ database: { name: 'app.db', memory: false } })).toThrow('must be a Database of better-sqlite3');
  database.close();
  expect(() => create({ database })).toThrow('database: must be open, and writable, and in no transaction.');
});
