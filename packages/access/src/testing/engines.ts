import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';

import { createMigratedDatabase } from '@x/test-support/database';
import { idTable } from './access-world.ts';

/** A kind of database that access is tested on. */
export interface Engine {
  readonly name: 'memory' | 'sqlite' | 'postgres';
  /** Opens stores on an empty database, which is dropped when they go out of scope. */
  open(): Promise<OpenedStores>;
}

/** Stores on their own database. */
interface OpenedStores extends AsyncDisposable {
  readonly stores: Stores;
}

const entities = [idTable];

const clock = { now: () => new Date('2026-01-01T00:00:00.000Z') };

/** All engines, each of which behaves the same. */
export const engines: readonly Engine[] = [
  { name: 'memory', open: async () => migrated(createMemoryStores({ patience: patient, clock, entities })) },
  {
    name: 'sqlite',
    open: async () => migrated(createSqliteStores({ patience: patient, path: ':memory:', clock, entities })),
  },
  {
    name: 'postgres',
    async open() {
      const database = await createMigratedDatabase();
      return migrated(
        createPostgresStores({ patience: patient, url: database.url, clock, entities, maxConnections: 4 }),
        () => database.drop(),
      );
    },
  },
];

async function migrated(stores: Stores, drop: () => Promise<void> = async () => {}): Promise<OpenedStores> {
  await stores.migrate();
  return {
    stores,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await drop();
    },
  };
}
