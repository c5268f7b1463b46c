import type { Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { type EvolvingDatabase, patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createMigratedDatabase } from '@x/test-support/database';
import { startKillable } from '@x/test-support/programs';
import { createPostgresDriver } from '../create-postgres-driver.ts';
import { migrations as schema } from '../migrations/migrations.ts';

/** Makes a database whose declared entities change. */
export async function createEvolvingDatabase(): Promise<EvolvingDatabase> {
  const database = await createMigratedDatabase();
  const opened: Stores[] = [];
  return {
    async open(entities, migrations = [], changes = true) {
      const clock = new ManualClock();
      const driver = createPostgresDriver({
        url: database.url,
        maxConnections: 10,
        migrations: schema,
        patience: patient,
        clock,
      });
      const stores = createSqlStores({ driver, clock, entities, migrations, changes });
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
