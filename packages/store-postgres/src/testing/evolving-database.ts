import type { Stores } from '@x/store';
import type { EvolvingDatabase } from '@x/store/suites';
import { startKillable } from '../../../../tooling/child-program.ts';
import { ManualClock } from '@x/store/testing';
import { createTestDatabase } from '../../../../tooling/postgres/test-database.ts';
import { createPostgresStores } from '../create-postgres-stores.ts';

/** Makes a database whose declared entities change. */
export async function createEvolvingDatabase(): Promise<EvolvingDatabase> {
  const database = await createTestDatabase();
  const opened: Stores[] = [];
  return {
    async open(entities, migrations = [], changes = true) {
      const stores = createPostgresStores({
        url: database.url,
        clock: new ManualClock(),
        entities,
        migrations,
        changes,
      });
      opened.push(stores);
      return stores;
    },
    startMigration: (batches) =>
      startKillable(new URL('../../test/convert.mjs', import.meta.url), database.url, String(batches)),
    async drop() {
      await Promise.all(opened.map((stores) => stores.close()));
      await database.drop();
    },
  };
}
