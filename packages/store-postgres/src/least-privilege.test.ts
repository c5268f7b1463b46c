import { readFileSync } from 'node:fs';
import { systemClock } from '@x/store';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import { lookUp } from '@x/test-support/lookup';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

it('migrates and serves as the role of the README, which owns only its schema', async () => {
  const database = await createPostgresDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const role = `app_${crypto.randomUUID().replaceAll('-', '')}`;
  const server = await lookUp(inject('postgresLookup'), 'No Postgres to test with');
  onTestFinished(async () => {
    await ask(database.url, `DROP OWNED BY ${role} CASCADE; GRANT ALL ON DATABASE ${name} TO PUBLIC`);
    await database.drop();
    await ask(server, `DROP ROLE ${role}`);
  });
  const grants = readGrants().replaceAll("'…'", "'secret'");
  await ask(database.url, grants.replaceAll('"DATABASE"', name).replaceAll(/\bapp\b/g, role));

  const url = Object.assign(new URL(database.url), { username: role, password: 'secret' }).href;
  const stores = createPostgresStores({ patience: patient, url, clock: systemClock });
  onTestFinished(() => stores.close());
  stores.onRevoked(() => undefined);
  await stores.migrate();
  expect(await stores.counters.add('a', 1)).toBe(1);
  await stores.ping();
  expect(
    await ask(database.url, `SELECT DISTINCT schemaname AS schema FROM pg_tables WHERE tableowner = '${role}'`),
  ).toEqual([{ schema: role }]);
});

/** Reads the block of SQL under "In production". */
function readGrants(): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  return /```sql\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
}

async function ask(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
