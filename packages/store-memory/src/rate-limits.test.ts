import { ManualClock } from '@x/store/testing';
import { expect, test } from 'vitest';
import { createMemoryDatabase } from './memory-database.ts';
import { openMemoryStores } from './open-memory-stores.ts';
import { maxWindows } from './rate-limits.ts';

test('distinct keys beyond the maximum make the windows that end first give way', async () => {
  const database = createMemoryDatabase();
  const stores = openMemoryStores(database, new ManualClock());
  await stores.rateLimits.check('long', 1, 60_000);
  await stores.rateLimits.check('short', 1, 1000);
  for (let count = 0; count < maxWindows; count += 1) await stores.rateLimits.check(`flood ${count}`, 1, 30_000);
  expect(database.tables.rateLimits.size).toBe(maxWindows);
  expect(await stores.rateLimits.check('long', 1, 60_000)).toMatchObject({ allowed: false });
  expect(await stores.rateLimits.check('short', 1, 1000)).toMatchObject({ allowed: true });
  await stores.close();
});

test('distinct keys that are counted in transactions are bounded too', async () => {
  const database = createMemoryDatabase();
  const stores = openMemoryStores(database, new ManualClock());
  for (let count = 0; count < maxWindows + 100; count += 1) {
    await stores.transaction(async (inside) => inside.rateLimits.check(`flood ${count}`, 1, 30_000));
  }
  expect(database.tables.rateLimits.size).toBe(maxWindows);
  await stores.close();
});

test('windows that are over go as new ones come', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const stores = openMemoryStores(database, clock);
  for (let count = 0; count < 20_000; count += 1) {
    await stores.rateLimits.check(`key ${count}`, 5, 1000);
    clock.advance(1);
  }
  expect(database.tables.rateLimits.size).toBeLessThanOrEqual(1000);
  await stores.close();
});
