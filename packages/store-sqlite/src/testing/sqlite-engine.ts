import { rm } from 'node:fs/promises';

import type { Clock, Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { sampleEntities, type StoreEngine, type TestLimits } from '@x/store/testing';

import { createSqliteDriver } from '../create-sqlite-driver.ts';
import { migrations } from '../migrations.generated.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Makes SQLite databases, each a file in a folder of its own. */
export const sqliteEngine: StoreEngine = {
  async createDatabase() {
    const folder = await makeTemporaryFolder();
    const opened: Stores[] = [];
    const open = async (clock: Clock, limits?: TestLimits): Promise<Stores> => {
      const driver = createSqliteDriver({
        path: `${folder}/test.db`,
        clock,
        synchronous: 'FULL',
        migrations,
        ...(limits && { limitMs: limits.maxTransactionMs }),
      });
      const stores = createSqlStores({ driver, clock, entities: sampleEntities });
      opened.push(stores);
      return stores;
    };
    const drop = async (): Promise<void> => {
      await Promise.all(opened.map((stores) => stores.close()));
      await rm(folder, { recursive: true });
    };
    const migrator = await open({ now: () => new Date(0) });
    await migrator.migrate();
    return { open, drop };
  },
};
