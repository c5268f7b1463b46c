import type { RateLimitStore, SessionId, TransactionStores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { scaleRateLimits } from '../../src/development/scale-rate-limits.ts';

const clock = { now: () => new Date('2026-01-01T00:00:00Z') };

it.each([
  [100, 500],
  [0.5, 3],
  [0.1, 1],
  [0.000_001, 1],
])('multiplies a limit of 5 by %d, which makes %d', async (factor, attempts) => {
  const stores = scaleRateLimits(createMemoryStores({ clock }), factor);
  expect(await countAllowed(stores)).toBe(attempts);
});

it('multiplies the limits in a transaction, and in a nested one, in the same windows', async () => {
  const stores = scaleRateLimits(createMemoryStores({ clock }), 2);
  const allowed = await stores.transaction(async (outer) => {
    await outer.rateLimits.check('key', 5, 1000);
    return outer.transaction(countAllowed);
  });
  expect(allowed).toBe(9);
  expect(await countAllowed(stores)).toBe(0);
});

it('has every member of the stores, also in a transaction', async () => {
  const plain = createMemoryStores({ clock });
  const scaled = scaleRateLimits(plain, 2);
  expect(Object.keys(scaled)).toEqual(Object.keys(plain));
  expect(Object.keys({ ...scaled })).toEqual(Object.keys(plain));
  expect(scaled.clock).toBe(clock);
  const membersOf = (stores: TransactionStores): Promise<string[]> =>
    stores.transaction(async (inner) => Object.keys(inner));
  expect(await membersOf(scaled)).toEqual(await membersOf(plain));

  await scaled.migrate();
  await scaled.ping();
  expect(await scaled.counters.add('name', 2)).toBe(2);
  expect(await plain.counters.read('name')).toBe(2);
  expect(scaled.onRevoked(() => {})).toBeTypeOf('function');
  expect(await scaled.rateLimits.prune({ limit: 10 })).toBe(0);
  await scaled.close();
  await expect(plain.ping()).rejects.toThrow(/closed/);
});

it('refunds an attempt of the multiplied limit', async () => {
  const stores = scaleRateLimits(createMemoryStores({ clock }), 2);
  const { resetsAt } = await stores.rateLimits.check('key', 5, 1000);
  expect(await countAllowed(stores)).toBe(9);
  await stores.rateLimits.refund('key', 5, resetsAt);
  expect(await countAllowed(stores)).toBe(1);
});

it('multiplies a limit that is checked together with a session, if the stores support that', async () => {
  const plain = createMemoryStores({ clock });
  const checkWithSession: RateLimitStore['checkWithSession'] = async ({ keys, maxAttempts, windowMs }) => ({
    result: await plain.rateLimits.check(keys.unknown, maxAttempts, windowMs),
    found: null,
  });
  const rateLimits = { ...plain.rateLimits, checkWithSession };
  const scaled = scaleRateLimits({ ...plain, rateLimits }, 2).rateLimits.checkWithSession;
  const sessionId = crypto.randomUUID() as SessionId;
  const keys = { known: 'known', unknown: 'unknown' };
  const checked = await scaled?.({ sessionId, tokenHash: '', keys, maxAttempts: 5, windowMs: 1000 });
  expect(checked).toMatchObject({ result: { allowed: true, remaining: 9 }, found: null });
  expect(scaleRateLimits(plain, 2).rateLimits.checkWithSession).toBeUndefined();
});

/** Counts how many attempts on one key a limit of 5 lets through. */
async function countAllowed({ rateLimits }: TransactionStores): Promise<number> {
  for (let attempts = 0; ; attempts += 1) {
    const { allowed } = await rateLimits.check('key', 5, 1000);
    if (!allowed) return attempts;
  }
}
