import { rm } from 'node:fs/promises';
import type { Stores } from '@x/store';
import type { EvolvingDatabase } from '@x/store/suites';
import { ManualClock } from '@x/store/testing';
import { createSqliteStores } from '../create-sqlite-stores.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Makes a database whose declared entities change. */
export async function createEvolvingDatabase(): Promise<EvolvingDatabase> {
  const folder = await makeTemporaryFolder();
  const opened: Stores[] = [];
  return {
    async open(entities) {
      const stores = createSqliteStores({ path: `${folder}/test.db`, clock: new ManualClock(), entities });
      opened.push(stores);
      return stores;
    },
    async drop() {
      await Promise.all(opened.map((stores) => stores.close()));
      await rm(folder, { recursive: true });
    },
  };
}
