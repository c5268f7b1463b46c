import type { DatabaseKind } from '../servers/create-databases.ts';

/** Names a row by its work, and by the database where that is not SQLite. */
export function rowName(work: string, database: DatabaseKind): string {
  return database === 'sqlite' ? work : `${work}-${database}`;
}
