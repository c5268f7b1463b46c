import type { Clock, EntityTable, Stores } from '@x/store';
import type { PostgresStoresOptions } from '@x/store-postgres';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseUrl } from './env-formats.ts';
import { nameVariables } from './env.ts';

/** The dependencies of the stores, and how a Postgres is reached. */
export interface DatabaseParts extends Pick<PostgresStoresOptions, 'listenUrl' | 'pooled' | 'logger' | 'patience'> {
  readonly clock: Clock;
  readonly entities: readonly EntityTable[];
}

/** Whether the feed of changes is kept, by which the server notifies browsers. */
const changes = true;

/** Opens the stores of a database, and loads no other stores; creates the folder of a file. */
export async function openDatabase(url: DatabaseUrl, { clock, entities, ...route }: DatabaseParts): Promise<Stores> {
  const { patience, logger } = route;
  const common = { clock, entities, changes, ...(patience && { patience }) };
  if (url.kind === 'memory') return (await import('@x/store-memory')).createMemoryStores(common);
  if (url.kind === 'postgres') {
    const { createPostgresStores } = await import('@x/store-postgres');
    try {
      return createPostgresStores({ ...route, ...common, url: url.url });
    } catch (error) {
      throw nameVariables(error);
    }
  }
  const { createSqliteStores } = await import('@x/store-sqlite');
  try {
    // The content, including password hashes, is for its owner only; SQLite's other files get the same mode.
    mkdirSync(dirname(url.path), { recursive: true, mode: 0o700 });
    closeSync(openSync(url.path, 'a', 0o600));
    return createSqliteStores({ ...common, ...(logger && { logger }), path: url.path });
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${url.path} cannot be opened as a database.`, { cause });
  }
}
