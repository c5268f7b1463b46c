import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { lookUp } from '../lookup.ts';

/** A database of a test. */
export interface TestDatabase {
  readonly url: string;
  /** Cuts the connections to it, and empties it for another test. */
  drop(): Promise<void>;
}

/** Creates an empty database on the Postgres of this run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await lookUp(inject('postgresLookup'), 'No Postgres to test with');
  const name = idle.pop() ?? (await create(server));
  return {
    url: toUrl(server, name),
    drop: async () => {
      const next = newName();
      await shutOut(server, name, next);
      await execute(toUrl(server, next), 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      idle.push(next);
    },
  };
}

/** Empty databases that tests are done with: to create one takes several times as long, with a checkpoint for all. */
const idle: string[] = [];

async function create(server: string): Promise<string> {
  const name = newName();
  // Nobody can connect to template0, unlike template1, so tests in parallel can all copy it.
  await execute(server, `CREATE DATABASE ${name} TEMPLATE template0 STRATEGY file_copy`);
  return name;
}

/** Cuts all connections to a database, and takes its name, by which late comers would find it, and its settings. */
async function shutOut(server: string, name: string, next: string): Promise<void> {
  await execute(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await execute(server, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`);
  await execute(server, `ALTER DATABASE ${name} RENAME TO ${next}; ALTER DATABASE ${next} RESET ALL`);
  await execute(server, `ALTER DATABASE ${next} ALLOW_CONNECTIONS true`);
}

function newName(): string {
  return `${inject('postgresPrefix')}${randomBytes(8).toString('hex')}`;
}

function toUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = name;
  return url.href;
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
