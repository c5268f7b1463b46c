import { composeStores, type Clock, type RateLimitStore, type Stores } from '@x/store';
import { describeStores, patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { expect, it } from 'vitest';
import { createMemoryDatabase, createMemoryStores, openMemoryStores } from './create-memory-stores.ts';

describeStores(
  'composed',
  {
    createDatabase: async () => {
      const [database, windows] = [createMemoryDatabase(), new Map<string, Window>()];
      const opened: Stores[] = [];
      return {
        open: async (clock) => {
          const stores = openMemoryStores(database, clock, { limitMs: 60_000, waitMs: patient.waitMs });
          opened.push(stores);
          return composeStores(stores, { rateLimits: createOwnRateLimits(windows, clock) });
        },
        drop: async () => {
          await Promise.all(opened.map((stores) => stores.close()));
        },
      };
    },
  },
  { only: ['rateLimits'] },
);

it('uses the replaced store in transactions, too, nested ones included, where it does not roll back', async () => {
  const clock = new ManualClock();
  const rateLimits = createOwnRateLimits(new Map(), clock);
  const base = createMemoryStores({ clock });
  const stores = composeStores(base, { rateLimits });
  const failing = stores.transaction(async (inside) => {
    await inside.rateLimits.check('key', 3, 1000);
    await inside.counters.add('visits', 1);
    await inside.transaction(async (inner) => inner.rateLimits.check('key', 3, 1000));
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect(await stores.rateLimits.check('key', 3, 1000)).toMatchObject({ remaining: 0 });
  expect(await base.rateLimits.check('key', 3, 1000)).toMatchObject({ remaining: 2 });
  expect(await stores.counters.read('visits')).toBe(0);
});

it('leaves everything else to the stores of the database, their methods included', async () => {
  const clock = new ManualClock();
  const base = createMemoryStores({ clock });
  const stores = composeStores(base, { rateLimits: createOwnRateLimits(new Map(), clock) });
  expect(stores.clock).toBe(clock);
  expect(stores.users).toBe(base.users);
  await stores.migrate();
  await stores.ping();
  expect(await stores.readServerTime()).toBeNull();
  await stores.close();
  await expect(base.ping()).rejects.toThrow('closed');
});

it('refuses stores that cannot be replaced, with the nearest name', () => {
  const own = { ratelimits: createOwnRateLimits(new Map(), new ManualClock()) };
  expect(() => composeStores(createMemoryStores(), own as never)).toThrow(
    'composeStores.ratelimits: unknown option, did you mean composeStores.rateLimits?',
  );
});

it('refuses to describe a suite that does not exist', () => {
  const describeOnly = (only: readonly string[]) => describeStores('any', {} as never, { only: only as never });
  expect(() => describeOnly(['rateLimit'])).toThrow('only.rateLimit: unknown option, did you mean only.rateLimits?');
});

interface Window {
  count: number;
  readonly resetsAt: Date;
}

/** A store as an app would write it for a database of another kind. */
function createOwnRateLimits(windows: Map<string, Window>, clock: Clock): RateLimitStore {
  const find = (key: string): Window | undefined => {
    const window = windows.get(key);
    return window && clock.now() < window.resetsAt ? window : undefined;
  };
  const start = (key: string, windowMs: number): Window => {
    const window = { count: 0, resetsAt: new Date(clock.now().getTime() + windowMs) };
    windows.set(key, window);
    return window;
  };
  return {
    async check(key, maxAttempts, windowMs) {
      const window = find(key) ?? start(key, windowMs);
      window.count += 1;
      const { count, resetsAt } = window;
      const remaining = Math.max(0, maxAttempts - count);
      return { allowed: count <= maxAttempts, isFirstRefusal: count === maxAttempts + 1, remaining, resetsAt };
    },
    isFull: async (key, maxAttempts) => (find(key)?.count ?? 0) >= maxAttempts,
    async refund(key, maxAttempts, resetsAt) {
      const window = find(key);
      if (window?.resetsAt.getTime() !== resetsAt.getTime()) return;
      window.count = Math.max(0, Math.min(window.count, maxAttempts) - 1);
    },
    async prune({ limit }) {
      const ended = [...windows].filter(([, { resetsAt }]) => resetsAt <= clock.now());
      const first = ended.toSorted(([, a], [, b]) => a.resetsAt.getTime() - b.resetsAt.getTime()).slice(0, limit);
      for (const [key] of first) windows.delete(key);
      return first.length;
    },
  };
}
