import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

it('writes to the file only once for the refused attempts of a window', async () => {
  await using temporary = await useTemporaryFolder();
  const path = join(temporary.folder, 'test.db');
  const stores = createSqliteStores({ patience: patient, path, clock: new ManualClock() });
  await stores.migrate();
  const other = new Database(path, { readonly: true });
  // The number changes with every write of another connection (https://sqlite.org/pragma.html#pragma_data_version).
  const version = (): unknown => other.pragma('data_version', { simple: true });

  const versions = [version()];
  for (let count = 0; count < 6; count += 1) {
    expect((await stores.rateLimits.check('key', 2, 1000)).allowed).toBe(count < 2);
    versions.push(version());
  }
  expect(new Set(versions.slice(0, 4)).size).toBe(4);
  expect(new Set(versions.slice(3)).size).toBe(1);
  other.close();
  await stores.close();
});
