import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from './awkward-values.ts';
import { concurrently, times } from './concurrently.ts';
import type { StoreTest } from './store-test.ts';

/** Describes what every counter store does. */
export function describeCounters(it: StoreTest): void {
  describe('counters', () => {
    it('start at 0', async ({ stores }) => {
      expect(await stores.counters.read('new')).toBe(0);
      expect(await stores.counters.read('new')).toBe(0);
    });

    it('return the sum of an addition, which is then read', async ({ stores }) => {
      expect(await stores.counters.add('visits', 3)).toBe(3);
      expect(await stores.counters.add('visits', 4)).toBe(7);
      expect(await stores.counters.read('visits')).toBe(7);
    });

    it('accept negative additions and zero, and may fall below 0', async ({ stores }) => {
      expect(await stores.counters.add('balance', -5)).toBe(-5);
      expect(await stores.counters.add('balance', 0)).toBe(-5);
      expect(await stores.counters.add('balance', 2)).toBe(-3);
      expect(await stores.counters.read('balance')).toBe(-3);
    });

    it('are exact up to 2^53 - 1 on both sides of 0', async ({ stores }) => {
      expect(await stores.counters.add('large', 2 ** 31)).toBe(2 ** 31);
      expect(await stores.counters.add('large', Number.MAX_SAFE_INTEGER - 2 ** 31)).toBe(Number.MAX_SAFE_INTEGER);
      expect(await stores.counters.read('large')).toBe(Number.MAX_SAFE_INTEGER);
      expect(await stores.counters.add('small', Number.MIN_SAFE_INTEGER)).toBe(Number.MIN_SAFE_INTEGER);
      expect(await stores.counters.read('small')).toBe(Number.MIN_SAFE_INTEGER);
    });

    it('differ by the code points of their names alone', async ({ stores }) => {
      for (const [index, name] of awkwardTexts.entries()) await stores.counters.add(name, index + 1);
      for (const [index, name] of awkwardTexts.entries()) expect(await stores.counters.read(name)).toBe(index + 1);
    });

    it('are shared by all processes on the database', async ({ stores, processes }) => {
      for (const other of processes) await other.counters.add('shared', 1);
      expect(await stores.counters.read('shared')).toBe(4);
    });

    it('add up any sequence of additions', async ({ stores, rounds }) => {
      let run = 0;
      const amounts = fc.array(fc.integer({ min: -(2 ** 48), max: 2 ** 48 }), { maxLength: 12 });
      const sumsUp = fc.asyncProperty(amounts, async (terms) => {
        run += 1;
        let sum = 0;
        for (const term of terms) expect(await stores.counters.add(`run ${run}`, term)).toBe((sum += term));
        expect(await stores.counters.read(`run ${run}`)).toBe(sum);
      });
      await fc.assert(sumsUp, { numRuns: 7 * rounds });
    });
  });
}

/** Describes what is guaranteed while several processes add to a counter at once. */
export function describeCounterRaces(it: StoreTest): void {
  it('loses none of 200 additions, and returns no sum twice', async ({ stores, processes }) => {
    const sums = await concurrently(processes, times(200), (each) => each.counters.add('visits', 1));
    expect(new Set(sums).size).toBe(200);
    expect(Math.max(...sums)).toBe(200);
    expect(await stores.counters.read('visits')).toBe(200);
  });
}
