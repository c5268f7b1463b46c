import { createTables, type Tables } from './tables.ts';
import { WriteLock } from './write-lock.ts';

/** What stores that are opened on one database share. */
export interface MemoryDatabase {
  readonly tables: Tables;
  readonly lock: WriteLock;
}

/** Creates an empty database. */
export function createMemoryDatabase(): MemoryDatabase {
  return { tables: createTables(), lock: new WriteLock() };
}
