import { createPostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { buildIndex } from './build-index.ts';

const index = { name: '"app_notes_title"', isUnique: true, on: '"app_notes" ("title")' };

const selectValid = 'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)';

it('builds an unfinished index again, once, by many processes, while other connections write', async () => {
  const database = await createPostgresDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  await client.query("CREATE TABLE app_notes (title TEXT); INSERT INTO app_notes VALUES ('a'), ('a')");
  await expect(client.query(`CREATE UNIQUE INDEX CONCURRENTLY ${index.name} ON ${index.on}`)).rejects.toThrow(
    'could not create unique index',
  );
  expect((await client.query(selectValid, [index.name])).rows).toEqual([{ indisvalid: false }]);
  await expect(buildIndex({ connectionString: database.url }, index)).rejects.toMatchObject({
    name: 'DuplicateKeyError',
  });
  expect((await client.query(selectValid, [index.name])).rows).toEqual([]);
  await client.query('DELETE FROM app_notes; INSERT INTO app_notes SELECT n FROM generate_series(1, 20000) AS n');
  const builds = Array.from({ length: 4 }, () => buildIndex({ connectionString: database.url }, index));
  await client.query("INSERT INTO app_notes VALUES ('meanwhile')");
  await Promise.all(builds);
  expect((await client.query(selectValid, [index.name])).rows).toEqual([{ indisvalid: true }]);
});
