import { systemClock } from '@x/store';
import { expect, it } from 'vitest';
import { createMemoryStores } from './create-memory-stores.ts';

it('stores that are handed no clock go by the clock of this machine', () => {
  expect(createMemoryStores().clock).toBe(systemClock);
});
