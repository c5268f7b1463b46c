import { expect, it } from 'vitest';
import { systemClock } from './clock.ts';

it('returns the time of this machine', () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
