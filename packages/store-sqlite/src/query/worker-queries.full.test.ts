import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { ManualClock } from '@x/store-testing/clock';
import Database from 'better-sqlite3';
import { startProgram } from '@x/test-support/programs';
import { expect, it } from 'vitest';
import { createSqliteDriver } from '../create-sqlite-driver.ts';
import { any, countOf, countTo, migrations, openCounting, patientQueries } from '../testing/counting-driver.ts';

it('runs a burst of searches of one caller', async () => {
  await using opened = await openCounting();
  const counted = await Promise.all(Array.from({ length: 64 }, async () => opened.count(50_000)));
  expect(counted).toEqual(counted.map(() => countOf(50_000)));
});

it('ends a query that runs for too long, and continues with the next', async () => {
  await using opened = await openCounting({ ...patientQueries, statementMs: 500 });
  await expect(opened.count(1e12)).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
  expect(await opened.count(100_000)).toEqual(countOf(100_000));
});

it('can make a checkpoint after a query was ended', async () => {
  await using opened = await openCounting({ ...patientQueries, statementMs: 500 });
  await opened.driver.execute("INSERT INTO t (n, text) VALUES (1, 'a')", []);
  const reading = `${countTo.replace('COUNT(*)', 'COUNT(*) + (SELECT COUNT(*) FROM t)')}`;
  await expect(opened.driver.query(reading, [1e12], any)).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
  await opened.driver.execute("INSERT INTO t (n, text) VALUES (2, 'b')", []);
  const other = new Database(opened.path);
  expect(other.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  other.close();
});

it('is SERVICE_UNAVAILABLE while a thread cannot open the file, and continues as soon as it can', async () => {
  await using opened = await openCounting();
  const elsewhere = `${opened.path}.elsewhere`;
  await rename(opened.path, elsewhere);
  await expect(opened.count(10)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await rename(elsewhere, opened.path);
  expect(await opened.count(10)).toEqual(countOf(10));
});

it('answers waiting queries when it is closed', async () => {
  await using opened = await openCounting({ ...patientQueries, statementMs: 1000, threads: 1 });
  const waiting = [opened.count(1e12), opened.count(40_000), opened.count(50_000, 'bob')];
  const answers = Promise.allSettled(waiting);
  await opened.driver.close();
  const [ended, ...others] = await answers;
  expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'QUERY_TOO_EXPENSIVE' } });
  expect(others).toMatchObject([{ value: countOf(40_000) }, { value: countOf(50_000) }]);
});

it('lets several apps read one file, and an idle app close it', async () => {
  await using opened = await openCounting();
  const counting = opened.count(100_000);
  const child = startProgram(new URL('../../test/query-and-close.mjs', import.meta.url), opened.path);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output).toBe('100000\n');
  expect(await counting).toEqual(countOf(100_000));
});

it('refuses a query that has waited for too long', async () => {
  await using opened = await openCounting({ ...patientQueries, statementMs: 500, maxWaitMs: 30, threads: 1 });
  const running = opened.count(1e12);
  await expect(opened.count(1e12)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await expect(running).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
});

it('reads earlier writes, cuts the rows at a size, and throws the errors of the contract', async () => {
  await using opened = await openCounting(patientQueries);
  const { driver } = opened;
  await opened.count(100_000);
  for (const n of [1, 2, 3, 4]) await driver.execute('INSERT INTO t (n, text) VALUES ($1, $2)', [n, 'x'.repeat(10)]);
  const options = { ...any, maxRows: 100, maxCharacters: 20, caller: 'ada' };
  const rows = [1, 2].map((n) => ({ n, text: 'x'.repeat(10) }));
  const text = 'SELECT n, text FROM t WHERE is_in_time() AND n < $1 ORDER BY n';
  expect(await driver.query(text, [100], options)).toEqual({ rows, isCut: true });
  await expect(driver.query('SELECT * FROM missing WHERE is_in_time()', [], options)).rejects.toMatchObject({
    name: 'MigrationError',
  });
});

it('ends a query in a transaction or in memory after its time, without a thread', async () => {
  const queryLimits = { ...patientQueries, statementMs: 500 };
  await using opened = await openCounting(queryLimits);
  const inTransaction = opened.driver.transaction((executor) => executor.query(countTo, [1e12], any));
  await expect(inTransaction).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
  const own = { path: ':memory:', synchronous: 'FULL', migrations, queryLimits } as const;
  const memory = createSqliteDriver({ ...own, clock: new ManualClock() });
  await expect(memory.query(countTo, [1e12], any)).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
  expect(await memory.query(countTo, [10], any)).toEqual(countOf(10));
  await memory.close();
});
