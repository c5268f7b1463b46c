import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createPostgresDatabase } from './create-database.ts';

it('creates and drops databases at the same time without conflicts', async () => {
  const createTen = () => Promise.all(Array.from({ length: 10 }, () => createPostgresDatabase()));
  const databases = (await Promise.all([createTen(), createTen()])).flat();
  expect(new Set(databases.map(({ url }) => url)).size).toBe(20);
  await Promise.all(databases.map((database) => database.drop()));
});

it('hands an empty database to the next test, and to no other one', async () => {
  const first = await createPostgresDatabase();
  await query(first.url, 'CREATE TABLE fruit AS SELECT 1 AS pear');
  await query(first.url, `ALTER DATABASE ${new URL(first.url).pathname.slice(1)} SET work_mem = '65kB'`);
  await first.drop();
  const second = await createPostgresDatabase();
  expect(await query(second.url, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  expect(await query(second.url, 'SHOW work_mem')).not.toEqual([{ work_mem: '65kB' }]);
  await expect(query(first.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  await second.drop();
});

it('closes the connections to a database when it is dropped', async () => {
  const database = await createPostgresDatabase();
  const client = new Client(database.url);
  await client.connect();
  const cut = new Promise<Error>((resolve) => client.on('error', resolve));
  await database.drop();
  expect(await cut).toMatchObject({ code: '57P01' });
});

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
