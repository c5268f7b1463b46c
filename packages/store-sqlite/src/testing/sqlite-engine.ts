import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Clock, Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { patient, sampleEntities, type StoreEngine, type TestLimits } from '@x/store-testing';
import { createSqliteDriver } from '../create-sqlite-driver.ts';
import { migrations } from '../migrations/migrations.ts';
import { makeTemporaryFolder, useTemporaryFolder } from './temporary-folder.ts';

/** Makes SQLite databases, each a file in its own folder. A migration takes long, so all are copies of the first. */
export const sqliteEngine: StoreEngine = {
  hasSql: true,

  async createDatabase({ changes = false } = {}) {
    const folder = await makeTemporaryFolder();
    const path = `${folder}/test.db`;
    await writeFile(path, await (changes ? (following ??= makeMigrated(true)) : (migrated ??= makeMigrated(false))));
    const opened: Stores[] = [];
    return {
      async open(clock, limits) {
        const stores = openStores({ path, changes }, clock, limits);
        opened.push(stores);
        return stores;
      },
      async drop() {
        await Promise.all(opened.map((stores) => stores.close()));
        await rm(folder, { recursive: true });
      },
    };
  },
};

/** The file of an empty database with the current schema. */
let migrated: Promise<Buffer> | undefined;

/** The same, with the feed of changes. */
let following: Promise<Buffer> | undefined;

async function makeMigrated(changes: boolean): Promise<Buffer> {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const stores = openStores({ path, changes }, { now: () => new Date(0) });
  await stores.migrate();
  // After the close, all data is in the one file.
  await stores.close();
  return readFile(path);
}

interface SqliteDatabase {
  readonly path: string;
  readonly changes: boolean;
}

function openStores({ path, changes }: SqliteDatabase, clock: Clock, limits: TestLimits = {}): Stores {
  const driver = createSqliteDriver({
    path,
    clock,
    synchronous: 'FULL',
    migrations,
    limitMs: limits.maxTransactionMs ?? 60_000,
    patience: limits.patience ?? patient,
  });
  return createSqlStores({ driver, clock, entities: sampleEntities, changes });
}
