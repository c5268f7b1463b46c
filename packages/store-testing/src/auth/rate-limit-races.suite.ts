import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what is guaranteed while several processes count attempts at once. */
export function describeRateLimitRaces(it: StoreTest): void {
  it('allows exactly as many of 200 attempts as the limit says', async ({ processes, clock }) => {
    const results = await concurrently(processes, times(200), (each) => each.rateLimits.check('key', 7, 60_000));
    const allowed = results.filter((result) => result.allowed);
    expect(allowed.map((result) => result.remaining).toSorted((a, b) => a - b)).toEqual(times(7));
    const firstRefusals = results.filter((result) => result.isFirstRefusal);
    expect(firstRefusals).toEqual([{ ...firstRefusals[0], allowed: false }]);
    const resetsAt = new Date(clock.now().getTime() + 60_000);
    expect(results.filter((result) => result.resetsAt.getTime() !== resetsAt.getTime())).toEqual([]);
  });

  it('counts exactly the attempts that were not refunded', async ({ stores, processes }) => {
    const results = await concurrently(processes, times(100), async (each, index) => {
      const result = await each.rateLimits.check('key', 50, 60_000);
      if (result.allowed && index % 2 === 0) await each.rateLimits.refund('key', 50, result.resetsAt);
      return result.allowed && index % 2 === 1;
    });
    const counted = results.filter(Boolean).length;
    let free = 0;
    while ((await stores.rateLimits.check('key', 50, 60_000)).allowed) free += 1;
    expect(free).toBe(50 - counted);
  });

  it('counts all attempts after the end of a window in one new window', async ({ processes, clock }) => {
    await concurrently(processes, times(20), (each) => each.rateLimits.check('key', 3, 1000));
    clock.advance(1000);
    const results = await concurrently(processes, times(100), (each) => each.rateLimits.check('key', 3, 1000));
    expect(results.filter((result) => result.allowed)).toHaveLength(3);
    expect(results.filter((result) => result.isFirstRefusal)).toHaveLength(1);
  });

  it('counts each of 100 ended windows in exactly one pruning', async ({ stores, processes, clock }) => {
    await concurrently(processes, times(100), (each, index) => each.rateLimits.check(`key ${index}`, 1, 1000));
    clock.advance(1000);
    const pruned = await concurrently(processes, times(8), (each) => each.rateLimits.prune({ limit: 10 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(10);
    const left = await stores.rateLimits.prune({ limit: 100 });
    expect(pruned.reduce((sum, count) => sum + count, left)).toBe(100);
  });

  it('never allows more attempts because of a concurrent pruning', async ({ processes, clock, rounds }) => {
    for (let round = 0; round < 5 * rounds; round += 1) {
      const results = await concurrently(processes, times(60), async (each, index) => {
        if (index % 6 === 5) return void (await each.rateLimits.prune({ limit: 10 }));
        return each.rateLimits.check('key', 3, 1000);
      });
      expect(results.filter((result) => result?.allowed)).toHaveLength(3);
      expect(results.filter((result) => result?.isFirstRefusal)).toHaveLength(1);
      clock.advance(1000);
    }
  });
}
