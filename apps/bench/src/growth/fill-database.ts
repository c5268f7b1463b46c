import { fillPostgres } from './fill-postgres.ts';
import { fillSqlite } from './fill-sqlite.ts';

/** Adds so many users, a session and a note of each, and so many rate limits to the demo's database. Random ids, as in life. */
export async function fillDatabase(url: string, rows: number): Promise<void> {
  if (url.startsWith('file:')) fillSqlite(url.slice('file:'.length), rows);
  else await fillPostgres(url, rows);
}
