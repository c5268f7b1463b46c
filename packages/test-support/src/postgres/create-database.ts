import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { lookUp } from '../lookup/lookup.ts';

/** A database of a test. */
export interface PostgresDatabase {
  readonly url: string;
  /** Cuts the connections to it, and empties it for another test. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database.
 *
 * @param given - the URL of a server. Default: that of this run
 */
export async function createPostgresDatabase(given?: string): Promise<PostgresDatabase> {
  const server = given ?? (await lookUp(inject('postgresLookup'), 'No Postgres to test with'));
  const idle = idleOn.get(server) ?? [];
  idleOn.set(server, idle);
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

/** Empty databases of servers that tests are done with: to create one takes several times as long, with a checkpoint for all. */
const idleOn = new Map<string, string[]>();

async function create(server: string): Promise<string> {
  const name = newName();
  const [{ number } = { number: 0 }] = await execute(server, "SELECT current_setting('server_version_num') AS number");
  const strategy = Number(number) >= 150_000 ? 'STRATEGY file_copy' : '';
  // Nobody can connect to template0, unlike template1, so tests in parallel can all copy it.
  await execute(server, `CREATE DATABASE ${name} TEMPLATE template0 ${strategy}`);
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

async function execute(url: string, statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
