import { expect } from 'vitest';

/** Returns what a store method made or found, and fails the test where it was null. */
export function stored<Found>(found: Found | null): Found {
  expect(found).not.toBeNull();
  if (found === null) throw new TypeError('unreachable');
  return found;
}
