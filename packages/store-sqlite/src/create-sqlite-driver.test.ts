import { stat } from 'node:fs/promises';
import { ManualClock } from '@x/store-testing/clock';
import type { SqlExecutor } from '@x/store-sql';
import { expect, it, vi } from 'vitest';
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
    driver.transaction((executor) => executor.execute('INSERT INTO t (n) VALUES ($1)', [n]), { groupCommit: true }),
  );
  await Promise.all([...brief, driver.execute('INSERT INTO t (n) VALUES (4)', [])]);
  // The log has the changed page once, after the header of its frame. Two commits would have written it twice.
  expect((await stat(`${path}-wal`)).size - sizeBefore).toBe(24 + 4096);
  await driver.close();
});

it('rolls back all of a transaction that a failure ended', async () => {
  const driver = createSqliteDriver({ path: ':memory:', clock: new ManualClock(), synchronous: 'FULL', migrations });
  await driver.migrate();
  const work = driver.transaction(async (executor) => {
    await executor.execute('INSERT INTO t (n) VALUES (1)', []);
    await executor.execute('INSERT OR ROLLBACK INTO t (n) VALUES (1)', []).catch(() => 0);
    await executor.execute('INSERT INTO t (n) VALUES (2)', []).catch(() => 0);
  });
  await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await driver.read('SELECT n FROM t', [])).toEqual([]);
  await driver.close();
});

it('yields to the event loop where the statements of a transaction have blocked it', async () => {
  const driver = createSqliteDriver({ path: ':memory:', clock: new ManualClock(), synchronous: 'FULL', migrations });
  await driver.migrate();
  await driver.transaction(async (executor) => {
    const immediate = vi.fn<() => void>();
    setImmediate(immediate);
    blockFor(20);
    await executor.execute('INSERT INTO t (n) VALUES (1)', []);
    expect(immediate).toHaveBeenCalledOnce();
  });
  expect(await driver.read('SELECT n FROM t', [])).toEqual([{ n: 1 }]);
  await driver.close();
});

it.each([
  {
    end: 'another statement runs',
    goOn: (executor: SqlExecutor) => executor.execute('INSERT INTO t (n) VALUES (2)', []),
  },
  { end: 'it is committed', goOn: async () => 0 },
])('rolls a transaction back that has kept the event loop until its time is over when $end', async ({ goOn }) => {
  const own = { path: ':memory:', clock: new ManualClock(), synchronous: 'FULL', migrations, limitMs: 100 } as const;
  const driver = createSqliteDriver(own);
  await driver.migrate();
  const work = driver.transaction(async (executor) => {
    await executor.execute('INSERT INTO t (n) VALUES (1)', []);
    blockFor(120);
    return goOn(executor);
  });
  await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await driver.read('SELECT n FROM t', [])).toEqual([]);
  await driver.close();
});

/** Blocks the event loop, as statements do. */
function blockFor(milliseconds: number): void {
  const endsAt = performance.now() + milliseconds;
  while (performance.now() < endsAt);
}
