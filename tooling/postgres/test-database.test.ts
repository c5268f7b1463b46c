import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from './test-database.ts';

test('databases that are created and dropped at the same time do not get in each other’s way', async () => {
  const createTen = () => Promise.all(Array.from({ length: 10 }, () => createTestDatabase()));
  const databases = (await Promise.all([createTen(), createTen()])).flat();
  expect(new Set(databases.map(({ url }) => url)).size).toBe(20);
  await Promise.all(databases.map((database) => database.drop()));
});

test('a database made from a template has its tables and rows', async () => {
  const template = await createTestDatabase();
  await query(template.url, 'CREATE TABLE fruit AS SELECT 1 AS pear');
  const copy = await createTestDatabase({ template: template.name });
  expect(await query(copy.url, 'SELECT pear FROM fruit')).toEqual([{ pear: 1 }]);
  await Promise.all([copy.drop(), template.drop()]);
});

test('drop cuts the connections to the database', async () => {
  const database = await createTestDatabase();
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
