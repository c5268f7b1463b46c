import type { Clock, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseUrl } from './variables/database-url.ts';

/** Opens the stores of a database; the folder of a file is made. */
export function openDatabase(url: DatabaseUrl, clock: Clock): Stores {
  if (url.kind === 'memory') return createMemoryStores({ clock });
  // The folder holds password hashes.
  mkdirSync(dirname(url.path), { recursive: true, mode: 0o700 });
  try {
    return createSqliteStores({ path: url.path, clock });
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${url.path} can not be opened as a database.`, { cause });
  }
}
