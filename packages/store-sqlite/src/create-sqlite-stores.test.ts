import { readdir, writeFile } from 'node:fs/promises';
import { ConfigurationError } from '@x/errors';
import { systemClock, type UserId } from '@x/store';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

const clock = new ManualClock();
const impatient = { waitMs: 100, connectMs: 100 };

it('uses the clock of this machine by default', async () => {
  const stores = createSqliteStores({ path: ':memory:' });
  expect(stores.clock).toBe(systemClock);
  await stores.close();
});

describe('a database in memory', () => {
  it('has every store', async () => {
    const stores = createSqliteStores({ path: ':memory:', clock });
    await stores.migrate();
    expect(await stores.counters.add('a', 2)).toBe(2);
    expect(await stores.counters.read('a')).toBe(2);
    await stores.ping();
    await stores.close();
  });

  it('says that it was never migrated', async () => {
    const stores = createSqliteStores({ path: ':memory:', clock });
    await expect(stores.counters.read('a')).rejects.toMatchObject({ name: 'MigrationError' });
    await stores.close();
  });

  it('shows other calls no changes of an open transaction', async () => {
    const stores = createSqliteStores({ path: ':memory:', clock });
    await stores.migrate();
    let outside: Promise<number> | undefined;
    const work = stores.transaction(async (inside) => {
      await inside.counters.add('a', 1);
      outside = stores.counters.read('a');
      await inside.counters.add('a', 1);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await outside).toBe(0);
    await stores.close();
  });
});

describe('a database file', () => {
  it('is at a plain path, even if that looks like a URI', async () => {
    await using temporary = await useTemporaryFolder();
    const stores = createSqliteStores({ path: `${temporary.folder}/file:a.db?mode=memory`, clock });
    await stores.migrate();
    expect(await readdir(temporary.folder)).toContain('file:a.db?mode=memory');
    await stores.close();
  });

  it('is named if it cannot be opened', async () => {
    await using temporary = await useTemporaryFolder();
    expect(() => createSqliteStores({ path: temporary.folder, clock })).toThrow(
      new ConfigurationError([
        `path: ${temporary.folder} cannot be opened; it must be a file, not a folder, that this process may read and write.`,
      ]),
    );
  });

  it('is named with its folder if that does not exist', async () => {
    await using temporary = await useTemporaryFolder();
    const folder = `${temporary.folder}/no`;
    expect(() => createSqliteStores({ path: `${folder}/test.db`, clock })).toThrow(
      new ConfigurationError([
        `path: the folder ${folder} of the database file ${folder}/test.db does not exist; create it first.`,
      ]),
    );
  });

  it('is named if it is not a database', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    await writeFile(path, 'This is a text, and longer than the header of a database would be.'.repeat(9));
    expect(() => createSqliteStores({ path, clock })).toThrow(
      new ConfigurationError([`path: ${path} is not an SQLite database; name another file, or move this one away.`]),
    );
  });

  it('is named in the cause if another program locks it while it is opened', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const other = new Database(path);
    other.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE');
    expect(() => createSqliteStores({ path, clock, patience: impatient })).toThrow(
      expect.objectContaining({
        code: 'SERVICE_UNAVAILABLE',
        cause: expect.objectContaining({ message: `Another program locks the database file ${path}.` }),
      }),
    );
    other.close();
  });

  it('is SERVICE_UNAVAILABLE while another program locks it, but can be read', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const stores = createSqliteStores({ path, clock, patience: patient });
    await stores.migrate();
    const refused = createSqliteStores({ path, clock, patience: impatient });
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(refused.counters.add('a', 1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await refused.counters.read('a')).toBe(0);
    other.exec('ROLLBACK');
    expect(await stores.counters.add('a', 1)).toBe(1);
    other.close();
    await Promise.all([stores.close(), refused.close()]);
  });

  it('is waited for without blocking the event loop while another program locks it', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const stores = createSqliteStores({ path, clock, patience: patient });
    await stores.migrate();
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const adding = [stores.counters.add('a', 1), stores.transaction(async (inside) => inside.counters.add('a', 1))];
    // SQLite's own busy handler would block this process, which then could not unlock the file.
    for (let iteration = 0; iteration < 20; iteration += 1) await new Promise((resolve) => setTimeout(resolve));
    other.exec('ROLLBACK');
    expect((await Promise.all(adding)).toSorted((one, other) => one - other)).toEqual([1, 2]);
    other.close();
    await stores.close();
  });
});

it('names no bound value in an error', async () => {
  const stores = createSqliteStores({ path: ':memory:', clock });
  await stores.migrate();
  const user = {
    id: 'user-1' as UserId,
    email: 'secret@example.com',
    loginEmail: null,
    emailVerified: false,
    emailProvenAt: null,
    passwordHash: 'secret',
    role: 'user',
    tenantId: null,
    fields: {},
  };
  await stores.users.create(user);
  const error: unknown = await stores.users.create(user).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'DuplicateKeyError' });
  expect(String(error) + String((error as Error).cause)).not.toMatch(/secret|user-1/);
  await stores.close();
});

describe('a database in UTF-16', () => {
  it('is refused, and left unchanged', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/wide.db`;
    const database = new Database(path);
    database.exec("PRAGMA encoding = 'UTF-16'; CREATE TABLE notes (title TEXT)");
    const problem = /its encoding is UTF-16(le|be), and must be UTF-8/;
    expect(() => createSqliteStores({ path })).toThrow(problem);
    expect(() => createSqliteStores({ database })).toThrow(problem);
    expect(database.pragma('journal_mode', { simple: true })).toBe('delete');
    database.close();
  });
});
