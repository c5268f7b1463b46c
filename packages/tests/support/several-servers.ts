import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createMigratedDatabase } from '@x/test-support/database';
import { onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from './test-server.ts';

/** Opens a database without rows on Postgres, which is dropped when the test is over. */
export async function openPostgres(maxConnections?: number): Promise<TestDatabase> {
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  const clock = new ManualClock();
  const options = { url: database.url, clock, patience: patient, ...(maxConnections && { maxConnections }) };
  return { clock, open: () => createPostgresStores(options) };
}

/** The engines that several processes can share. */
export const sharedEngines: readonly { readonly name: string; readonly open: () => Promise<TestDatabase> }[] = [
  { name: 'SQLite', open: async () => createTestDatabase('sqlite') },
  { name: 'Postgres', open: () => openPostgres(4) },
];
