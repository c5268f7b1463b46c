import type Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

it('gives a query builder the database of the transaction', async () => {
  await using temporary = await useTemporaryFolder();
  const stores = createSqliteStores({ path: `${temporary.folder}/test.db` });
  await stores.migrate();
  const builder = (raw: unknown): Database.Database => raw as Database.Database;
  const failing = stores.transaction(async ({ raw, counters }) => {
    builder(raw).exec('CREATE TABLE orders (id TEXT)');
    await counters.add('orders', 1);
    builder(raw).prepare('INSERT INTO orders VALUES (?)').run('o1');
    expect(builder(raw).prepare("SELECT value FROM auth_counters WHERE name = 'orders'").pluck().get()).toBe(1);
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
  await expect(stores.transaction(({ sql }) => sql`SELECT id FROM orders`)).rejects.toThrow('no such table: orders');
  await stores.close();
});

it('throws the error that a trigger of the app raises', async () => {
  const stores = createSqliteStores({ path: ':memory:' });
  await stores.migrate();
  const failing = stores.transaction(async ({ sql }) => {
    await sql`CREATE TABLE orders (id TEXT)`;
    await sql`CREATE TRIGGER closed BEFORE INSERT ON orders BEGIN SELECT RAISE(ABORT, 'The shop is closed.'); END`;
    await sql`INSERT INTO orders VALUES ('o1')`;
  });
  await expect(failing).rejects.toThrow('The shop is closed.');
  await stores.close();
});
