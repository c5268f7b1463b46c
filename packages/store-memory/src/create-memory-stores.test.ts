import { systemClock } from '@x/store';
import { expect, it } from 'vitest';
import { createMemoryStores } from './create-memory-stores.ts';

it('uses the clock of this machine by default', () => {
  expect(createMemoryStores().clock).toBe(systemClock);
});
