import { type EntityTable, Turns } from '@x/store';
import { createTables, type Tables } from './tables.ts';

/** What stores that are opened on one database share. */
export interface MemoryDatabase {
  readonly tables: Tables;
  /** Taken by whoever writes while others may have to wait for it. */
  readonly turns: Turns;
}

/** Creates an empty database with the tables of the app's entities. */
export function createMemoryDatabase(entities: readonly EntityTable[] = []): MemoryDatabase {
  return { tables: createTables(entities), turns: new Turns() };
}
