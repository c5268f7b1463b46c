import { expect, it } from 'vitest';
import { systemClock } from './clock.ts';

it('the clock of this machine returns its time', () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
