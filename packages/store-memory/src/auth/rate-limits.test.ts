import { ManualClock } from '@x/store/testing';
import { expect, it } from 'vitest';
import { createMemoryDatabase, type MemoryDatabase, openMemoryStores } from '../create-memory-stores.ts';
import { maxWindows, maxWindowsPerOperation } from './rate-limits.ts';

const unavailable = { code: 'SERVICE_UNAVAILABLE' };

/** Begins windows of one operation that last that many milliseconds. */
function flood({ tables }: MemoryDatabase, operation: string, amount: number, lastsMs = 30_000): void {
  const resetsAt = new ManualClock().now().getTime() + lastsMs;
  for (let index = 0; index < amount; index += 1) {
    const key = `${operation}:flood ${String(index).padStart(6, '0')}`;
    tables.rateLimits.put({ key, operation, count: 1, resetsAt });
  }
}

it('where no window of an operation is over, its new keys are refused and no count is lost', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  await rateLimits.check('signup:exhausted', 1, 1000);
  await rateLimits.check('signup:begun', 3, 1000);
  for (let count = 2; count < maxWindowsPerOperation; count += 1) {
    await rateLimits.check(`signup:flood ${count}`, 1, 30_000);
  }
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(database.tables.rateLimits.size).toBe(maxWindowsPerOperation);
  expect(await rateLimits.check('signup:exhausted', 1, 1000)).toMatchObject({ allowed: false });
  expect(await rateLimits.check('signup:begun', 3, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  clock.advance(1000);
  for (const key of ['signup:new', 'signup:exhausted']) {
    expect(await rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: true });
  }
  await expect(rateLimits.check('signup:one more', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('a flood on one operation neither refuses nor forgets the keys of others', async () => {
  const database = createMemoryDatabase();
  const { rateLimits } = openMemoryStores(database, new ManualClock());
  await rateLimits.check('signin:begun', 3, 1000);
  flood(database, 'signup', maxWindowsPerOperation);
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(await rateLimits.check('signin:begun', 3, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  for (const key of ['signin:new', 'refresh:192.0.2.1', 'signup', 'signups:new']) {
    expect(await rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: true });
    expect(await rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: false });
  }
});

it('an operation is named by what stands before the first colon', async () => {
  const database = createMemoryDatabase();
  const { rateLimits } = openMemoryStores(database, new ManualClock());
  flood(database, 'refresh', maxWindowsPerOperation);
  await expect(rateLimits.check('refresh:2001:db8::/64', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(await rateLimits.check('refresh2:2001:db8::/64', 1, 1000)).toMatchObject({ allowed: true });
});

it('keys that name no operation are bounded as those of one', async () => {
  const database = createMemoryDatabase();
  const { rateLimits } = openMemoryStores(database, new ManualClock());
  flood(database, '', maxWindowsPerOperation - 1);
  await rateLimits.check('last', 1, 1000);
  await expect(rateLimits.check('new', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('windows of an operation that are over make room in it, whatever ended before them', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  flood(database, 'signin', 100, 1);
  flood(database, 'signup', maxWindowsPerOperation - 1);
  await rateLimits.check('signup:short', 1, 1000);
  clock.advance(999);
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
  clock.advance(1);
  expect(await rateLimits.check('signup:new', 1, 1000)).toMatchObject({ allowed: true });
  await expect(rateLimits.check('signup:one more', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('windows that were pruned make room, unless the transaction of it throws', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const stores = openMemoryStores(database, clock);
  flood(database, 'signup', maxWindowsPerOperation - 2);
  for (const key of ['signup:one', 'signup:other']) await stores.rateLimits.check(key, 1, 1000);
  clock.advance(1000);
  const failing = stores.transaction(async (inside) => {
    expect(await inside.rateLimits.prune({ limit: 10 })).toBe(2);
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect(await stores.rateLimits.prune({ limit: 10 })).toBe(2);
  for (const key of ['signup:one', 'signup:new']) await stores.rateLimits.check(key, 1, 1000);
  await expect(stores.rateLimits.check('signup:one more', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('a key whose own window is over takes no second place', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  flood(database, 'signup', maxWindowsPerOperation - 8);
  for (let index = 1; index <= 8; index += 1) await rateLimits.check(`signup:${index}`, 1, 1000);
  clock.advance(1000);
  for (let index = 8; index >= 1; index -= 1) await rateLimits.check(`signup:${index}`, 1, 1000);
  expect(database.tables.rateLimits.size).toBe(maxWindowsPerOperation);
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('a transaction that throws gives its room back, and one that commits keeps it', async () => {
  const database = createMemoryDatabase();
  const stores = openMemoryStores(database, new ManualClock());
  flood(database, 'signup', maxWindowsPerOperation - 2);
  const failing = stores.transaction(async (inside) => {
    await inside.rateLimits.check('signup:one', 1, 1000);
    await inside.transaction(async (inner) => inner.rateLimits.check('signup:other', 1, 1000));
    await expect(inside.rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
    expect(await inside.rateLimits.check('signin:new', 1, 1000)).toMatchObject({ allowed: true });
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
  await stores.transaction(async (inside) => {
    for (const key of ['signup:this', 'signup:that']) await inside.rateLimits.check(key, 1, 1000);
  });
  await expect(stores.rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(database.tables.rateLimits.size).toBe(maxWindowsPerOperation);
});

it('of many transactions at the same time as many are admitted as there is room', async () => {
  const database = createMemoryDatabase();
  const stores = openMemoryStores(database, new ManualClock());
  flood(database, 'signup', maxWindowsPerOperation - 3);
  const check = async (key: string): Promise<unknown> =>
    stores.transaction(async (inside) => inside.rateLimits.check(key, 1, 30_000));
  const keys = Array.from({ length: 10 }, (_, index) => `signup:new ${index}`);
  const outcomes = await Promise.allSettled([...keys.map(check), check('signin:new')]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  expect(outcomes.at(-1)).toMatchObject({ status: 'fulfilled' });
  expect(outcomes[3]).toMatchObject({ status: 'rejected', reason: unavailable });
});

it('L8: the windows of all operations together are bounded too', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  await rateLimits.check('first:short', 1, 1000);
  flood(database, 'first', maxWindowsPerOperation - 1);
  for (let left = maxWindows; left > maxWindowsPerOperation; left -= maxWindowsPerOperation) {
    flood(database, `operation ${left}`, maxWindowsPerOperation);
  }
  await expect(rateLimits.check('other:new', 1, 1000)).rejects.toMatchObject(unavailable);
  clock.advance(1000);
  expect(await rateLimits.check('other:new', 1, 1000)).toMatchObject({ allowed: true });
  await expect(rateLimits.check('other:one more', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(database.tables.rateLimits.size).toBe(maxWindows);
}, 20_000);

it('windows that are over go as new ones come', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  for (let count = 0; count < 20_000; count += 1) {
    await rateLimits.check(`signup:${count}`, 5, 1000);
    clock.advance(1);
  }
  expect(database.tables.rateLimits.size).toBeLessThanOrEqual(1000);
});

it('windows that are over go as those of another operation come', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  flood(database, 'signup', 100, 1000);
  clock.advance(1000);
  for (let count = 0; count < 50; count += 1) await rateLimits.check(`signin:${count}`, 5, 1000);
  expect(database.tables.rateLimits.size).toBe(50);
});
