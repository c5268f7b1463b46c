import { readdir, writeFile } from 'node:fs/promises';
import { patient } from '@x/store-testing';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

it('copies a file while it is written, without blocking writers, as of one moment', async () => {
  await using temporary = await useTemporaryFolder();
  const { folder } = temporary;
  const stores = createSqliteStores({ patience: patient, path: `${folder}/app.db`, synchronous: 'NORMAL' });
  const other = createSqliteStores({ patience: patient, path: `${folder}/app.db`, synchronous: 'NORMAL' });
  await stores.migrate();
  const padding = 'x'.repeat(4000);
  for (let n = 0; n < 500; n += 1) await stores.counters.add(`${padding}${n}`, 1);
  let isOver = false;
  let written = 0;
  const writing = [stores, other].map(async (writer) => {
    while (!isOver) {
      // A copy of one moment has both rows or none.
      await writer.transaction(async (inside) => {
        await inside.counters.add('one', 1);
        await inside.counters.add('other', 1);
      });
      written += 1;
    }
  });
  const target = `${folder}/copy.db`;
  await writeFile(target, 'an older copy');
  await stores.backup(target);
  expect(written).toBeGreaterThan(0);
  isOver = true;
  await Promise.all([...writing]);
  const copy = new Database(target);
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  copy.close();
  const restored = createSqliteStores({ patience: patient, path: target });
  await restored.migrate();
  expect(await restored.counters.read(`${padding}499`)).toBe(1);
  expect(await restored.counters.read('one')).toBe(await restored.counters.read('other'));
  await Promise.all([stores.close(), other.close(), restored.close()]);
  expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([]);
});

it('says why there is no copy, and leaves an older copy unchanged', async () => {
  await using temporary = await useTemporaryFolder();
  const stores = createSqliteStores({ patience: patient, path: `${temporary.folder}/app.db` });
  await stores.migrate();
  const refusal = stores.backup(`${temporary.folder}/missing/copy.db`);
  await expect(refusal).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const inMemory = createSqliteStores({ patience: patient, path: ':memory:' });
  await expect(inMemory.backup(`${temporary.folder}/copy.db`)).rejects.toMatchObject({ name: 'ConfigurationError' });
  await Promise.all([stores.close(), inMemory.close()]);
});
