import { type Entity, toEntityTables } from '@x/entity';
import { createPostgresStores } from '@x/store-postgres';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import { enginesOfTier } from '@x/test-support/engines';
import { onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from './test-server.ts';

/** Every engine. Postgres is slow, so only what depends on it runs on it, too. */
export const allEngines: readonly ('memory' | 'sqlite' | 'postgres')[] = enginesOfTier([
  'memory',
  'sqlite',
  'postgres',
]);

/** Makes a new database of any engine, for some entities. */
export async function createDatabase(
  engine: (typeof allEngines)[number],
  declared: readonly Entity[] = [],
): Promise<TestDatabase> {
  if (engine !== 'postgres') return createTestDatabase(engine, declared);
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  const clock = new ManualClock();
  const entities = toEntityTables(declared.map(({ model }) => model));
  return {
    clock,
    open: () => createPostgresStores({ patience: patient, url: database.url, clock, entities, maxConnections: 4 }),
  };
}
