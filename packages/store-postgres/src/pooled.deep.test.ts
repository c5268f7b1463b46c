import { describeStores } from '@x/store/suites';
import { afterAll, beforeAll, inject } from 'vitest';
import { lookUp } from '../../../tooling/lookup.ts';
import { type Pooler, throughPooler } from '../../../tooling/postgres/pooler.ts';
import { startPooler } from '../../../tooling/postgres/start-pooler.ts';
import { createPostgresEngine, dropDatabases } from './testing/postgres-engine.ts';

// Two tests of the suites have eleven transactions open at once, each of which keeps a connection to the server.
const poolSize = 12;

let pooler: Pooler;
beforeAll(async () => {
  pooler = await startPooler({ server: await lookUp(inject('postgresLookup'), 'No Postgres to test with'), poolSize });
});
const engine = createPostgresEngine({ toUrl: (url) => throughPooler(pooler, url) });
describeStores('postgres behind a pooler', engine, { rounds: 1 });
afterAll(async () => {
  await pooler[Symbol.asyncDispose]();
  await dropDatabases();
});
