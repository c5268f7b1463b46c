import { describeStores } from '@x/store-testing';
import { installPostgres, type PostgresServer, startPostgres } from '@x/test-support/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresEngine, dropDatabases } from './testing/postgres-engine.ts';

/** The suites that every version is tested with. `EVERY_SUITE=1` runs all, on an idle machine. */
const only = process.env['EVERY_SUITE'] ? {} : ({ only: ['users', 'counters', 'flags'] } as const);

// The full tier runs on version 15, all others on 18.
describe.each([14, 16, 17] as const)('on version %s, postgres', (major) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ durable: false, installed: await installPostgres(major) });
  }, 180_000);
  describeStores('all', createPostgresEngine({ findServer: () => server.url }), only);
  afterAll(async () => {
    await dropDatabases();
    await server[Symbol.asyncDispose]();
  });

  it('has the expected version', async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    await client.end();
    expect(Number.parseInt(rows[0]?.server_version ?? '', 10)).toBe(major);
  });
});
