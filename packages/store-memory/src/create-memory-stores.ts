import { type Clock, type EntityTable, type Stores, systemClock } from '@x/store';
import { createMemoryDatabase } from './memory-database.ts';
import { openMemoryStores } from './open-memory-stores.ts';

/** The options of memory stores. */
export interface MemoryStoresOptions {
  /** The only source of time of the stores. Default: the clock of this machine. */
  readonly clock?: Clock;
  /** The tables of the app's entities. Default: none. */
  readonly entities?: readonly EntityTable[];
}

/**
 * Creates stores on a new, empty database in the memory of this process. It is lost when the process ends.
 *
 * @example
 * ```ts
 * const stores = createMemoryStores();
 * const { allowed } = await stores.rateLimits.check('sign-in:203.0.113.7', 5, 60_000);
 * ```
 */
export function createMemoryStores({ clock = systemClock, entities }: MemoryStoresOptions = {}): Stores {
  return openMemoryStores(createMemoryDatabase(entities), clock);
}
