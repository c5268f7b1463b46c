import type { Clock, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseUrl } from './env-formats.ts';
import { entityTables as entities } from './tracker.ts';

/** Opens the stores of a database; creates the folder of a file. */
export function openDatabase(url: DatabaseUrl, clock: Clock): Stores {
  if (url.kind === 'memory') return createMemoryStores({ clock, entities });
  if (url.kind === 'postgres') return createPostgresStores({ url: url.url, clock, entities });
  try {
    // The content, including password hashes, is for its owner only; SQLite's other files get the same mode.
    mkdirSync(dirname(url.path), { recursive: true, mode: 0o700 });
    closeSync(openSync(url.path, 'a', 0o600));
    return createSqliteStores({ path: url.path, clock, entities });
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${url.path} cannot be opened as a database.`, { cause });
  }
}
