import { systemClock } from '@x/store';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

it('gives a query builder the client of the transaction, and throws the error that a function raises', async () => {
  const database = await createPostgresDatabase();
  const stores = createPostgresStores({ patience: patient, url: database.url, clock: systemClock });
  await stores.migrate();
  const builder = (raw: unknown): pg.PoolClient => raw as pg.PoolClient;
  const failing = stores.transaction(async ({ raw, counters, sql }) => {
    await builder(raw).query('CREATE TABLE orders (id TEXT)');
    await counters.add('orders', 1);
    await builder(raw).query('INSERT INTO orders VALUES ($1)', ['o1']);
    const { rows } = await builder(raw).query("SELECT value FROM auth_counters WHERE name = 'orders'");
    expect(Number(rows[0].value)).toBe(1);
    expect(await sql`SELECT id FROM orders`).toEqual([{ id: 'o1' }]);
    await sql`DO $$ BEGIN RAISE EXCEPTION 'The shop is closed.'; END $$`;
  });
  await expect(failing).rejects.toThrow('The shop is closed.');
  await expect(failing).rejects.toMatchObject({ code: 'P0001' });
  await expect(stores.transaction(({ sql }) => sql`SELECT id FROM orders`)).rejects.toMatchObject({ code: '42P01' });
  await stores.close();
  await database.drop();
});
