import { rm } from 'node:fs/promises';
import type { Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { type EvolvingDatabase, patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { startKillable } from '@x/test-support/programs';
import { createSqliteDriver } from '../create-sqlite-driver.ts';
import { migrations as schema } from '../migrations/migrations.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Makes a database whose declared entities change. */
export async function createEvolvingDatabase(): Promise<EvolvingDatabase> {
  const folder = await makeTemporaryFolder();
  const opened: Stores[] = [];
  return {
    async open(entities, migrations = [], changes = true) {
      const clock = new ManualClock();
      const own = { path: `${folder}/test.db`, synchronous: 'FULL', migrations: schema, patience: patient } as const;
      const stores = createSqlStores({
        driver: createSqliteDriver({ ...own, clock }),
        clock,
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
