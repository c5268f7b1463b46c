import { rm } from 'node:fs/promises';
import type { Stores } from '@x/store';
import type { EvolvingDatabase } from '@x/store/suites';
import { startKillable } from '../../../../tooling/child-program.ts';
import { ManualClock } from '@x/store/testing';
import { createSqliteStores } from '../create-sqlite-stores.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Makes a database whose declared entities change. */
export async function createEvolvingDatabase(): Promise<EvolvingDatabase> {
  const folder = await makeTemporaryFolder();
  const opened: Stores[] = [];
  return {
    async open(entities, migrations = [], changes = true) {
      const stores = createSqliteStores({
        path: `${folder}/test.db`,
        clock: new ManualClock(),
        entities,
        migrations,
        changes,
      });
      opened.push(stores);
      return stores;
    },
    startMigration: (batches) =>
      startKillable(new URL('../../test/convert.mjs', import.meta.url), `${folder}/test.db`, String(batches)),
    async drop() {
      await Promise.all(opened.map((stores) => stores.close()));
      await rm(folder, { recursive: true });
    },
  };
}
