import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { lookUp } from '../lookup.ts';

/** Creates an empty database, or a copy of `template`, which no one may be connected to, on the Postgres of this run. */
export async function createTestDatabase(options: { template?: string } = {}): Promise<TestDatabase> {
  const server = await lookUp(inject('postgresLookup'), 'No Postgres to test with');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Nobody can connect to template0, unlike template1, so tests in parallel can all copy it.
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${options.template ?? 'template0'} STRATEGY file_copy`);
  const url = new URL(server);
  url.pathname = name;
  return { name, url: url.href, drop: () => execute(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** A database of a test. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** Drops it and cuts the connections to it. */
  drop(): Promise<void>;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
