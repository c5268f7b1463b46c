import { readdir, rm, writeFile } from 'node:fs/promises';
import { ManualClock } from '@x/store-testing/clock';
import { expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

const clock = new ManualClock();
const unavailable = { code: 'SERVICE_UNAVAILABLE' };

it.each(['file', ':memory:'])('refuses a database that was never migrated: %s', async (kind) => {
  await using temporary = await useTemporaryFolder();
  const stores = createSqliteStores({ path: kind === 'file' ? `${temporary.folder}/test.db` : kind, clock });
  await expect(stores.ping()).rejects.toMatchObject(unavailable);
  await stores.migrate();
  expect(await stores.ping()).toBeUndefined();
  await stores.close();
  await expect(stores.ping()).rejects.toThrow(TypeError);
});

it('refuses a database file that was deleted, although this process has it open', async () => {
  await using temporary = await useTemporaryFolder();
  const stores = createSqliteStores({ path: `${temporary.folder}/test.db`, clock });
  await stores.migrate();
  const key = 'nobody@example.com';
  expect(await stores.users.findByLoginEmail(key)).toBeNull();
  for (const file of await readdir(temporary.folder)) await rm(`${temporary.folder}/${file}`);
  expect(await stores.users.findByLoginEmail(key)).toBeNull();
  await expect(stores.ping()).rejects.toMatchObject(unavailable);
  await rm(temporary.folder, { recursive: true });
  await expect(stores.ping()).rejects.toMatchObject(unavailable);
  await stores.close();
});

it('refuses a database file that was overwritten', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const before = createSqliteStores({ path, clock });
  await before.migrate();
  await before.close();
  const stores = createSqliteStores({ path, clock });
  await stores.ping();
  await writeFile(path, 'No database at all. '.repeat(1000));
  await expect(stores.ping()).rejects.toMatchObject(unavailable);
  await stores.close();
});

it('does not wait for an open transaction', async () => {
  await using temporary = await useTemporaryFolder();
  const stores = createSqliteStores({ path: `${temporary.folder}/test.db`, clock });
  await stores.migrate();
  await stores.transaction(async (inside) => {
    await inside.rateLimits.check('key', 1, 1000);
    expect(await stores.ping()).toBeUndefined();
  });
  await stores.close();
});
