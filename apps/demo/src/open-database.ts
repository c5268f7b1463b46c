import type { Clock, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { entityTables as entities } from './entities/all-entities.ts';
import type { DatabaseUrl } from './variables/database-url.ts';

/** Opens the stores of a database; the folder of a file is made. */
export function openDatabase(url: DatabaseUrl, clock: Clock): Stores {
  if (url.kind === 'memory') return createMemoryStores({ clock, entities });
  if (url.kind === 'postgres') return createPostgresStores({ url: url.url, clock, entities });
  try {
    // What is in there, password hashes among it, is for its owner alone; SQLite's other files take after this one.
    mkdirSync(dirname(url.path), { recursive: true, mode: 0o700 });
    closeSync(openSync(url.path, 'a', 0o600));
    return createSqliteStores({ path: url.path, clock, entities });
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${url.path} cannot be opened as a database.`, { cause });
  }
}
