import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createMigratedDatabase, createPostgresDatabase } from './create-database.ts';

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

it('hands a database without rows and entities to the next test of stores, with the tables that all stores have', async () => {
  const first = await createMigratedDatabase();
  await query(first.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await query(first.url, 'CREATE TABLE auth_migrations AS SELECT 1 AS number; CREATE TABLE auth_users (id INT)');
  await query(first.url, 'CREATE TABLE auth_mails (user_id INT); CREATE TABLE app_notes AS SELECT 1 AS id');
  await query(first.url, 'ALTER TABLE auth_users ADD PRIMARY KEY (id); INSERT INTO auth_users VALUES (1)');
  await query(
    first.url,
    'ALTER TABLE auth_mails ADD FOREIGN KEY (user_id) REFERENCES auth_users; INSERT INTO auth_mails VALUES (1)',
  );
  await first.drop();
  const second = await createMigratedDatabase();
  const tables = await query(second.url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
  expect(tables).toEqual(['auth_mails', 'auth_migrations', 'auth_users'].map((tablename) => ({ tablename })));
  expect(await query(second.url, 'SELECT FROM auth_mails UNION ALL SELECT FROM auth_users')).toEqual([]);
  expect(await query(second.url, 'SELECT number FROM auth_migrations')).toEqual([{ number: 1 }]);
  await query(second.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
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
