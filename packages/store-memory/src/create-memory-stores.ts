import type { Clock, EntityTable, Stores } from '@x/store';
import { createMemoryDatabase } from './memory-database.ts';
import { openMemoryStores } from './open-memory-stores.ts';

/** What memory stores need. */
export interface MemoryStoresOptions {
  readonly clock: Clock;
  /** The tables of the app's entities; none by default. */
  readonly entities?: readonly EntityTable[];
}

/**
 * Creates stores on a new, empty database in the memory of this process. Nothing of it outlives the process.
 *
 * @example
 * ```ts
 * const stores = createMemoryStores({ clock: { now: () => new Date() } });
 * const { allowed } = await stores.rateLimits.check('sign-in:203.0.113.7', 5, 60_000);
 * ```
 */
export function createMemoryStores({ clock, entities }: MemoryStoresOptions): Stores {
  return openMemoryStores(createMemoryDatabase(entities), clock);
}
