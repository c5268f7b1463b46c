import { rm } from 'node:fs/promises';

import type { Clock, Stores } from '@x/store';
import type { StoreEngine } from '@x/store/testing';

import { createSqliteStores } from '../create-sqlite-stores.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Makes SQLite databases, each a file in a folder of its own. */
export const sqliteEngine: StoreEngine = {
  async createDatabase() {
    const folder = await makeTemporaryFolder();
    const opened: Stores[] = [];
    const open = async (clock: Clock): Promise<Stores> => {
      const stores = createSqliteStores({ path: `${folder}/test.db`, clock });
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
