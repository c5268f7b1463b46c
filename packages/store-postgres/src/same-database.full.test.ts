import { toLogger } from '@x/errors';
import { systemClock } from '@x/store';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

it('refuses to start if it would listen to another database', async () => {
  const [url, listenUrl] = [await createDatabase(), await createDatabase()];
  const stores = createPostgresStores({ url, listenUrl, clock: systemClock, patience: patient });
  await expect(stores.migrate()).rejects.toMatchObject({
    name: 'ConfigurationError',
    problems: ['listenUrl: leads to another database than url.'],
  });
  await stores.close();
});

it('polls its own database if another process has migrated it and listenUrl leads elsewhere, and warns', async () => {
  const [url, listenUrl] = [await createDatabase(), await createDatabase()];
  const own = { url, clock: systemClock, patience: patient };
  const migrating = createPostgresStores(own);
  await migrating.migrate();
  await migrating.close();
  const warned: string[] = [];
  const logger = { ...toLogger(false), warn: (_: object, line: string) => void warned.push(line) };
  const stores = createPostgresStores({ ...own, listenUrl, logger });
  stores.onRevoked(() => undefined);
  await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 30_000 });
  expect(warned[0]).toMatch(/read once a second: listenUrl leads to another database than url/);
  await stores.close();
});

it('listens to the same database by another address', async () => {
  const url = await createDatabase();
  const listenUrl = `${url}${url.includes('?') ? '&' : '?'}application_name=listener`;
  const warned: string[] = [];
  const logger = { ...toLogger(false), warn: (_: object, line: string) => void warned.push(line) };
  const stores = createPostgresStores({ url, listenUrl, logger, clock: systemClock, patience: patient });
  stores.onRevoked(() => undefined);
  await stores.migrate();
  expect(warned).toEqual([]);
  await stores.close();
});

async function createDatabase(): Promise<string> {
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}
