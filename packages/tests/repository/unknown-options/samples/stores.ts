import { composeStores, systemClock as clock } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
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
        logger: false,
        clock,
        entities: [],
        maxConnections: 1,
      },
      call: createPostgresStores,
    },
  },
  'store-sqlite': {
    createSqliteStores: {
      options: { path: ':memory:', database: run, clock, entities: [], synchronous: 'FULL' },
      call: createSqliteStores,
    },
  },
};
