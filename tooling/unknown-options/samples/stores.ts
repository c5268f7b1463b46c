import { composeStores, systemClock as clock } from '../../../packages/store/src/index.ts';
import { createMemoryStores } from '../../../packages/store-memory/src/index.ts';
import { createPostgresStores } from '../../../packages/store-postgres/src/index.ts';
import { createSqlStores } from '../../../packages/store-sql/src/index.ts';
import { createSqliteStores } from '../../../packages/store-sqlite/src/index.ts';
import { run, type Samples, stores } from './sample.ts';

/** Those of the stores, by package. */
export const storeSamples: Readonly<Record<string, Samples>> = {
  store: {
    composeStores: { options: { rateLimits: run }, call: (own) => composeStores(stores, own) },
  },
  'store-memory': { createMemoryStores: { options: { clock, entities: [] }, call: createMemoryStores } },
  'store-postgres': {
    createPostgresStores: {
      options: {
        url: 'a',
        pool: run,
        listenUrl: 'a',
        pooled: true,
        warn: console.warn,
        clock,
        entities: [],
        maxConnections: 1,
      },
      call: createPostgresStores,
    },
  },
  'store-sql': { createSqlStores: { options: { driver: run, clock, entities: [] }, call: createSqlStores } },
  'store-sqlite': {
    createSqliteStores: {
      options: { path: ':memory:', database: run, clock, entities: [], synchronous: 'FULL' },
      call: createSqliteStores,
    },
  },
};
