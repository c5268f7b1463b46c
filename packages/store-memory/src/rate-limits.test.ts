import { ManualClock } from '@x/store/testing';
import { expect, test } from 'vitest';
import { createMemoryDatabase } from './memory-database.ts';
import { openMemoryStores } from './open-memory-stores.ts';
import { maxWindows } from './rate-limits.ts';

const unavailable = { code: 'SERVICE_UNAVAILABLE' };

test('where no window is over, new keys are refused and no count is lost', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const stores = openMemoryStores(database, clock);
  await stores.rateLimits.check('exhausted', 1, 1000);
  await stores.rateLimits.check('begun', 3, 1000);
  for (let count = 2; count < maxWindows; count += 1) await stores.rateLimits.check(`flood ${count}`, 1, 30_000);
  await expect(stores.rateLimits.check('new', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(database.tables.rateLimits.size).toBe(maxWindows);
  expect(await stores.rateLimits.check('exhausted', 1, 1000)).toMatchObject({ allowed: false });
  expect(await stores.rateLimits.check('begun', 3, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  clock.advance(1000);
  for (const key of ['new', 'exhausted']) {
    expect(await stores.rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: true });
  }
  await expect(stores.rateLimits.check('one more', 1, 1000)).rejects.toMatchObject(unavailable);
  await stores.close();
});

test('distinct keys that are counted in transactions are bounded too', async () => {
  const database = createMemoryDatabase();
  const stores = openMemoryStores(database, new ManualClock());
  const check = async (key: string): Promise<unknown> =>
    stores.transaction(async (inside) => inside.rateLimits.check(key, 1, 30_000));
  for (let count = 0; count < maxWindows; count += 1) await check(`flood ${count}`);
  await expect(check('new')).rejects.toMatchObject(unavailable);
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
