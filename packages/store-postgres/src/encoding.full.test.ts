import { systemClock } from '@x/store';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';
import { openAppPool } from './testing/postgres-engine.ts';

it.each(['SQL_ASCII', 'LATIN1'])('refuses a database in %s', async (encoding) => {
  const url = await createEncoded(encoding);
  const pool = openAppPool({ connectionString: url });
  for (const [option, given] of [['url', { url }] as const, ['pool', { pool }] as const]) {
    const stores = createPostgresStores({ ...given, clock: systemClock, patience: patient });
    await expect(stores.migrate()).rejects.toMatchObject({
      name: 'ConfigurationError',
      problems: [expect.stringMatching(`^${option}: the encoding of the database is ${encoding}, and must be UTF8`)],
    });
    await stores.close();
  }
  await pool.end();
});

it('accepts a database in UTF8', async () => {
  const stores = createPostgresStores({ url: await createEncoded('UTF8'), clock: systemClock, patience: patient });
  await stores.migrate();
  expect(await stores.counters.add('steps', 1)).toBe(1);
  await stores.close();
});

/** Creates a database, which is dropped after the test. */
async function createEncoded(encoding: string): Promise<string> {
  const database = await createPostgresDatabase();
  const { url } = database;
  const name = `encoded_${crypto.randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  onTestFinished(async () => {
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await client.end();
    await database.drop();
  });
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}
