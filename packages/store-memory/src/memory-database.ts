import type { EntityTable } from '@x/store';
import { Mutex } from '@x/store/engine';
import { createTables, type Tables } from './tables.ts';

/** The state shared by all stores that are opened on one database. */
export interface MemoryDatabase {
  readonly tables: Tables;
  /** Taken by writers that others may have to wait for. */
  readonly turns: Mutex;
}

/** Creates an empty database with the tables of the app's entities. */
export function createMemoryDatabase(entities: readonly EntityTable[] = []): MemoryDatabase {
  return { tables: createTables(entities), turns: new Mutex() };
}
