import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { startLookup } from '../lookup/lookup.ts';
import type { PostgresServer } from '../postgres/postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with the url of the Postgres of this run, which the first request starts. */
    postgresLookup: string;
    /** The same with a Postgres 15. */
    postgres15Lookup: string;
    /** Whether that is the one of the tests of a project; its configuration says so. */
    isOnPostgres15?: boolean;
    /** The prefix of the names of all databases of this run. */
    postgresPrefix: string;
  }
}

/**
 * Gives the tests of this run one Postgres: that of `TEST_DATABASE_URL` where it is set, otherwise a server of its own
 * that starts when a test first asks for it, as does a Postgres 15. One that cannot be reached fails the run; no test is
 * skipped.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined) await assertReachable(given);
  const prefix = `test_${randomBytes(8).toString('hex')}_`;
  project.provide('postgresPrefix', prefix);
  const cleanup = new AsyncDisposableStack();
  const provide = async (name: 'postgresLookup' | 'postgres15Lookup', find: () => Promise<string>): Promise<void> =>
    project.provide(name, cleanup.use(await startLookup(find)).url);
  await provide('postgresLookup', given === undefined ? startOnce(cleanup, startServer) : async () => given);
  await provide('postgres15Lookup', startOnce(cleanup, startServer15));

  return async () => {
    await cleanup.disposeAsync();
    if (given !== undefined) await dropDatabases(given, prefix);
  };
}

/** Returns what starts a server when it is first called, and finds its url. */
function startOnce(cleanup: AsyncDisposableStack, start: () => Promise<PostgresServer>): () => Promise<string> {
  let started: Promise<PostgresServer> | undefined;
  // A start that failed has failed the tests that asked for it.
  cleanup.defer(async () => (await started?.catch(() => undefined))?.[Symbol.asyncDispose]());
  return async () => (await (started ??= start())).url;
}

// Imported on demand, like pg below: a run without Postgres does not wait for them to load.
async function startServer(): Promise<PostgresServer> {
  const { startPostgres } = await import('../postgres/postgres-server.ts');
  return startPostgres({ durable: false });
}

async function startServer15(): Promise<PostgresServer> {
  const { installPostgres, startPostgres } = await import('../postgres.ts');
  return startPostgres({ durable: false, installed: await installPostgres(15) });
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  );
  for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  await client.end();
}

async function assertReachable(url: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    await client.end();
  } catch (cause) {
    throw new Error('No Postgres answers at TEST_DATABASE_URL; unset it to let the tests start their own', { cause });
  }
}
