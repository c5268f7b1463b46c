import { describeStores } from '@x/store-testing';
import { lookUp } from '@x/test-support/lookup';
import { type Pooler, startPooler, throughPooler } from '@x/test-support/postgres';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { createPostgresEngine, dropDatabases } from './testing/postgres-engine.ts';

/**
 * No test of the suites has more than 12 statements open at once. `POOL_SIZES=1,3,10` tests others, on an idle machine.
 */
const poolSizes = (process.env['POOL_SIZES'] ?? '12').split(',').map(Number);

describe.each(poolSizes)('behind a pooler with %i connections, postgres', (poolSize) => {
  let pooler: Pooler;
  beforeAll(async () => {
    pooler = await startPooler({
      server: await lookUp(inject('postgresLookup'), 'No Postgres to test with'),
      poolSize,
    });
  });
  const toUrl = (url: string): string => throughPooler(pooler, url);
  describeStores('all', createPostgresEngine({ toUrl, connections: poolSize }));
  afterAll(async () => {
    await pooler[Symbol.asyncDispose]();
    await dropDatabases();
  });
});
