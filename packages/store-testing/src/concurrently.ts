import type { Stores } from '@x/store';
import { expect } from 'vitest';
import type { TestDatabase } from './store-test.ts';

/** Starts one call per item at once, spread over the opened stores, and returns what they resolve to, in order. */
export async function concurrently<Item, Outcome>(
  processes: readonly Stores[],
  items: readonly Item[],
  call: (stores: Stores, item: Item) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  return Promise.all(
    items.map((item, index) => {
      const stores = processes[index % processes.length];
      if (!stores) throw new TypeError('No stores were opened.');
      return call(stores, item);
    }),
  );
}

/** Returns the numbers from 0 to below `count`. */
export function times(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Waits until so many calls wait for a lock of another. */
export async function untilWaiting(database: TestDatabase, count: number): Promise<void> {
  if (!database.countWaiting) return pause(50);
  await expect.poll(() => database.countWaiting?.(), { interval: 5, timeout: 30_000 }).toBe(count);
}

/** Waits for so many real milliseconds. */
export async function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
