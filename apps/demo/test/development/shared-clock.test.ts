import { createDatabaseClock } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSharedClock } from '../../src/development/shared-clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('follows another clock on the database within a second', async () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const [one, two] = [createSharedClock(createDatabaseClock()), createSharedClock(createDatabaseClock())];
  await Promise.all([one, two].map((clock) => clock.follow(stores)));
  const now = await one.advance(61_000);
  expect(two.now().getTime()).toBe(now.getTime() - 61_000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(two.now().getTime()).toBe(now.getTime() + 1000);
  expect(one.now()).toEqual(two.now());
});

it('stops following once it is stopped', async () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const [one, two] = [createSharedClock(createDatabaseClock()), createSharedClock(createDatabaseClock())];
  await Promise.all([one, two].map((clock) => clock.follow(stores)));
  two.stop();
  await one.advance(61_000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(one.now().getTime() - two.now().getTime()).toBe(61_000);
  expect(vi.getTimerCount()).toBe(1);
});

it('runs ahead of the clock of the database, which it synchronizes', async () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  vi.spyOn(stores, 'readServerTime').mockImplementation(async () => new Date(Date.now() - 30_000));
  const clock = createSharedClock(createDatabaseClock());
  await clock.follow(stores);
  await clock.synchronize(stores);
  expect(clock.now().getTime()).toBe(Date.now() - 30_000);
  expect((await clock.advance(61_000)).getTime()).toBe(Date.now() + 31_000);
  clock.stop();
});
