import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { RateLimitVerdict } from '../rate-limits.ts';
import { awkwardTexts } from './awkward-texts.ts';
import type { StoreTest } from './store-test.ts';

/** Describes what every rate-limit store does. */
export function describeRateLimits(test: StoreTest): void {
  describe('rate limits', () => {
    describeWindow(test);
    describeKeys(test);
    describeModel(test);
  });
}

function describeWindow(test: StoreTest): void {
  test('attempts are allowed up to the limit and refused beyond it', async ({ stores, clock }) => {
    const resetsAt = new Date(clock.now().getTime() + 60_000);
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ allowed: true, remaining: 1, resetsAt });
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ allowed: true, remaining: 0, resetsAt });
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ allowed: false, remaining: 0, resetsAt });
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ allowed: false, remaining: 0, resetsAt });
  });

  test('a limit of one in a window of one millisecond holds', async ({ stores, clock }) => {
    expect(await stores.rateLimits.check('key', 1, 1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await stores.rateLimits.check('key', 1, 1)).toMatchObject({ allowed: false, remaining: 0 });
    clock.advance(1);
    expect(await stores.rateLimits.check('key', 1, 1)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('the window is over at resetsAt and not a millisecond before', async ({ stores, clock }) => {
    await stores.rateLimits.check('key', 1, 1000);
    clock.advance(999);
    expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ allowed: false });
    clock.advance(1);
    const resetsAt = new Date(clock.now().getTime() + 1000);
    expect(await stores.rateLimits.check('key', 1, 1000)).toEqual({ allowed: true, remaining: 0, resetsAt });
  });

  test('a window starts at its first attempt and no later one extends it', async ({ stores, clock }) => {
    const { resetsAt } = await stores.rateLimits.check('key', 2, 1000);
    clock.advance(600);
    expect(await stores.rateLimits.check('key', 2, 1000)).toEqual({ allowed: true, remaining: 0, resetsAt });
    clock.advance(399);
    expect(await stores.rateLimits.check('key', 2, 1000)).toEqual({ allowed: false, remaining: 0, resetsAt });
    clock.advance(1);
    expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  });

  test('a window may last a year', async ({ stores, clock }) => {
    const year = 365 * 86_400_000;
    const { resetsAt } = await stores.rateLimits.check('key', 1, year);
    expect(resetsAt.getTime()).toBe(clock.now().getTime() + year);
    clock.advance(year - 1);
    expect(await stores.rateLimits.check('key', 1, year)).toMatchObject({ allowed: false });
  });
}

function describeKeys(test: StoreTest): void {
  test('keys are told apart by their code points alone', async ({ stores }) => {
    for (const key of awkwardTexts) {
      expect(await stores.rateLimits.check(key, 1, 60_000)).toMatchObject({ allowed: true });
    }
    for (const key of awkwardTexts) {
      expect(await stores.rateLimits.check(key, 1, 60_000)).toMatchObject({ allowed: false });
    }
  });

  test('the counts are shared by all that opened the database', async ({ stores, processes }) => {
    for (const other of processes) await other.rateLimits.check('key', 5, 60_000);
    expect(await stores.rateLimits.check('key', 5, 60_000)).toMatchObject({ allowed: true, remaining: 0 });
    for (const other of processes) {
      expect(await other.rateLimits.check('key', 5, 60_000)).toMatchObject({ allowed: false });
    }
  });
}

function describeModel(test: StoreTest): void {
  test('any run of attempts meets what a naive count of moments says', async ({ stores, clock, rounds }) => {
    let run = 0;
    const attempts = fc.array(fc.record({ key: fc.nat(2), wait: fc.constantFrom(0, 0, 1, 249, 250, 500) }), {
      maxLength: 30,
    });
    const agrees = fc.asyncProperty(attempts, fc.integer({ min: 1, max: 4 }), async (steps, maxAttempts) => {
      run += 1;
      const model = new Map<number, number[]>();
      for (const { key, wait } of steps) {
        clock.advance(wait);
        const expected = countAttempt(model, { key, now: clock.now().getTime(), maxAttempts, windowMs: 500 });
        expect(await stores.rateLimits.check(`${run}:${key}`, maxAttempts, 500)).toEqual(expected);
      }
    });
    await fc.assert(agrees, { numRuns: 40 * rounds });
  });
}

/** Keeps the moment of every allowed attempt of the window under way. */
function countAttempt(
  model: Map<number, number[]>,
  attempt: { key: number; now: number; maxAttempts: number; windowMs: number },
): RateLimitVerdict {
  const { key, now, maxAttempts, windowMs } = attempt;
  const known = model.get(key) ?? [];
  const isUnderWay = known.some((start) => now < start + windowMs && start === known[0]);
  const moments = isUnderWay ? known : [];
  const allowed = moments.length < maxAttempts;
  if (allowed) moments.push(now);
  model.set(key, moments);
  const resetsAt = new Date((moments[0] ?? now) + windowMs);
  return { allowed, remaining: maxAttempts - moments.length, resetsAt };
}
