import { stat } from 'node:fs/promises';
import { ManualClock } from '@x/store-testing/clock';
import { expect, it } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

const migrations = [{ number: 1, name: '0001_test', sql: 'CREATE TABLE t (n INTEGER PRIMARY KEY, yes INTEGER);' }];

it('binds booleans as 0 and 1, and refuses a missing value', async () => {
  const driver = createSqliteDriver({ path: ':memory:', clock: new ManualClock(), synchronous: 'FULL', migrations });
  await driver.migrate();
  const rows = await driver.write('INSERT INTO t (yes, n) VALUES ($2, $1) RETURNING n, yes', [7, true]);
  expect(rows).toEqual([{ n: 7, yes: 1 }]);
  await expect(driver.read('SELECT n FROM t WHERE n = $2', [7])).rejects.toThrow(TypeError);
  await driver.close();
});

it('shares a commit between transactions with group commit and other writes', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const driver = createSqliteDriver({ path, clock: new ManualClock(), synchronous: 'FULL', migrations });
  await driver.migrate();
  const { size: sizeBefore } = await stat(`${path}-wal`);
  const brief = [1, 2, 3].map((n) =>
    driver.transaction((scope) => scope.execute('INSERT INTO t (n) VALUES ($1)', [n]), { groupCommit: true }),
  );
  await Promise.all([...brief, driver.execute('INSERT INTO t (n) VALUES (4)', [])]);
  // One page changed, behind the header of its frame: had there been two commits, it would be there twice.
  expect((await stat(`${path}-wal`)).size - sizeBefore).toBe(24 + 4096);
  await driver.close();
});

it('keeps nothing of a transaction after a failure that ended it', async () => {
  const driver = createSqliteDriver({ path: ':memory:', clock: new ManualClock(), synchronous: 'FULL', migrations });
  await driver.migrate();
  const work = driver.transaction(async (scope) => {
    await scope.execute('INSERT INTO t (n) VALUES (1)', []);
    await scope.execute('INSERT OR ROLLBACK INTO t (n) VALUES (1)', []).catch(() => 0);
    await scope.execute('INSERT INTO t (n) VALUES (2)', []).catch(() => 0);
  });
  await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await driver.read('SELECT n FROM t', [])).toEqual([]);
  await driver.close();
});
