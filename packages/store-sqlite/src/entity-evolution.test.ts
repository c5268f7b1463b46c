import { rm } from 'node:fs/promises';
import type { Stores } from '@x/store';
import { describeEntityEvolution } from '@x/store/suites';
import { ManualClock } from '@x/store/testing';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

describeEntityEvolution('SQLite', async () => {
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
});
