import { ManualClock } from '@x/store-testing/clock';
import { expect, it } from 'vitest';
import { createMemoryDatabase, type MemoryDatabase, openMemoryStores } from '../create-memory-stores.ts';

/** Instead of 100 000 and 1 000 000, which take seconds to reach. */
const max = { perOperation: 100, inAll: 1000 };

const unavailable = { code: 'SERVICE_UNAVAILABLE' };

/** Begins windows of one operation that last that many milliseconds. */
function flood({ tables }: MemoryDatabase, operation: string, amount: number, lastsMs = 30_000): void {
  const resetsAt = new ManualClock().now().getTime() + lastsMs;
  for (let index = 0; index < amount; index += 1) {
    const key = `${operation}:flood ${String(index).padStart(6, '0')}`;
    tables.rateLimits.put({ key, operation, count: 1, resetsAt });
  }
}

it('refuses new keys of an operation while all its windows are open, without losing a count', async () => {
  const database = createMemoryDatabase([], false, max);
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  await rateLimits.check('signup:exhausted', 1, 1000);
  await rateLimits.check('signup:begun', 3, 1000);
  for (let count = 2; count < max.perOperation; count += 1) {
    await rateLimits.check(`signup:flood ${count}`, 1, 30_000);
  }
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(database.tables.rateLimits.size).toBe(max.perOperation);
  expect(await rateLimits.check('signup:exhausted', 1, 1000)).toMatchObject({ allowed: false });
  expect(await rateLimits.check('signup:begun', 3, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  clock.advance(1000);
  for (const key of ['signup:new', 'signup:exhausted']) {
    expect(await rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: true });
  }
  await expect(rateLimits.check('signup:one more', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('keeps serving other operations while one is flooded', async () => {
  const database = createMemoryDatabase([], false, max);
  const { rateLimits } = openMemoryStores(database, new ManualClock());
  await rateLimits.check('signin:begun', 3, 1000);
  flood(database, 'signup', max.perOperation);
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(await rateLimits.check('signin:begun', 3, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  for (const key of ['signin:new', 'refresh:192.0.2.1', 'signup', 'signups:new']) {
    expect(await rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: true });
    expect(await rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: false });
  }
});

it('takes the part of a key before its first colon as its operation', async () => {
  const database = createMemoryDatabase([], false, max);
  const { rateLimits } = openMemoryStores(database, new ManualClock());
  flood(database, 'refresh', max.perOperation);
  await expect(rateLimits.check('refresh:2001:db8::/64', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(await rateLimits.check('refresh2:2001:db8::/64', 1, 1000)).toMatchObject({ allowed: true });
});

it('limits keys without an operation as those of a single one', async () => {
  const database = createMemoryDatabase([], false, max);
  const { rateLimits } = openMemoryStores(database, new ManualClock());
  flood(database, '', max.perOperation - 1);
  await rateLimits.check('last', 1, 1000);
  await expect(rateLimits.check('new', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('makes room for an operation by removing its own ended windows, even if others have ended', async () => {
  const database = createMemoryDatabase([], false, max);
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  flood(database, 'signin', 100, 1);
  flood(database, 'signup', max.perOperation - 1);
  await rateLimits.check('signup:short', 1, 1000);
  clock.advance(999);
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
  clock.advance(1);
  expect(await rateLimits.check('signup:new', 1, 1000)).toMatchObject({ allowed: true });
  await expect(rateLimits.check('signup:one more', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('makes room by pruning, unless the transaction around it is rolled back', async () => {
  const database = createMemoryDatabase([], false, max);
  const clock = new ManualClock();
  const stores = openMemoryStores(database, clock);
  flood(database, 'signup', max.perOperation - 2);
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

it('replaces the ended window of a key without needing more room', async () => {
  const database = createMemoryDatabase([], false, max);
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  flood(database, 'signup', max.perOperation - 8);
  for (let index = 1; index <= 8; index += 1) await rateLimits.check(`signup:${index}`, 1, 1000);
  clock.advance(1000);
  for (let index = 8; index >= 1; index -= 1) await rateLimits.check(`signup:${index}`, 1, 1000);
  expect(database.tables.rateLimits.size).toBe(max.perOperation);
  await expect(rateLimits.check('signup:new', 1, 1000)).rejects.toMatchObject(unavailable);
});

it('frees the room that a rolled-back transaction took, and keeps what a committed one took', async () => {
  const database = createMemoryDatabase([], false, max);
  const stores = openMemoryStores(database, new ManualClock());
  flood(database, 'signup', max.perOperation - 2);
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
  expect(database.tables.rateLimits.size).toBe(max.perOperation);
});

it('admits exactly as many concurrent transactions as there is room for', async () => {
  const database = createMemoryDatabase([], false, max);
  const stores = openMemoryStores(database, new ManualClock());
  flood(database, 'signup', max.perOperation - 3);
  const check = async (key: string): Promise<unknown> =>
    stores.transaction(async (inside) => inside.rateLimits.check(key, 1, 30_000));
  const keys = Array.from({ length: 10 }, (_, index) => `signup:new ${index}`);
  const outcomes = await Promise.allSettled([...keys.map(check), check('signin:new')]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  expect(outcomes.at(-1)).toMatchObject({ status: 'fulfilled' });
  expect(outcomes[3]).toMatchObject({ status: 'rejected', reason: unavailable });
});

it('limits the windows of all operations together', async () => {
  const database = createMemoryDatabase([], false, max);
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  await rateLimits.check('first:short', 1, 1000);
  flood(database, 'first', max.perOperation - 1);
  for (let left = max.inAll; left > max.perOperation; left -= max.perOperation) {
    flood(database, `operation ${left}`, max.perOperation);
  }
  await expect(rateLimits.check('other:new', 1, 1000)).rejects.toMatchObject(unavailable);
  clock.advance(1000);
  expect(await rateLimits.check('other:new', 1, 1000)).toMatchObject({ allowed: true });
  await expect(rateLimits.check('other:one more', 1, 1000)).rejects.toMatchObject(unavailable);
  expect(database.tables.rateLimits.size).toBe(max.inAll);
});

it('removes ended windows as new ones are started', async () => {
  const database = createMemoryDatabase();
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  for (let count = 0; count < 3000; count += 1) {
    await rateLimits.check(`signup:${count}`, 5, 1000);
    clock.advance(1);
  }
  expect(database.tables.rateLimits.size).toBeLessThanOrEqual(1000);
});

it('removes ended windows as those of another operation are started', async () => {
  const database = createMemoryDatabase([], false, max);
  const clock = new ManualClock();
  const { rateLimits } = openMemoryStores(database, clock);
  flood(database, 'signup', 100, 1000);
  clock.advance(1000);
  for (let count = 0; count < 50; count += 1) await rateLimits.check(`signin:${count}`, 5, 1000);
  expect(database.tables.rateLimits.size).toBe(50);
});
