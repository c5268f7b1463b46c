import { createPostgresStores } from '@x/store-postgres';
import { ManualClock } from '@x/store/testing';
import { onTestFinished } from 'vitest';
import { createTestDatabase as createPostgresDatabase } from '../../../../tooling/postgres/test-database.ts';
import { createTestDatabase, type TestDatabase } from './test-server.ts';

/** Every engine. Postgres is slow, so only what depends on it runs on it, too. */
export const allEngines = ['memory', 'sqlite', 'postgres'] as const;

/** Makes a new database of any engine. */
export async function createDatabase(engine: (typeof allEngines)[number]): Promise<TestDatabase> {
  if (engine !== 'postgres') return createTestDatabase(engine);
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  const clock = new ManualClock();
  return { clock, open: () => createPostgresStores({ url: database.url, clock, maxConnections: 4 }) };
}
