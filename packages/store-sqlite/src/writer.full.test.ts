import { inSavepoint } from '@x/store-sql';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { SqliteConnection } from './connection.ts';
import { Writer } from './writer.ts';

interface Bench {
  readonly connection: SqliteConnection;
  readonly writer: Writer;
  /** The statements that SQLite has run. */
  readonly log: readonly string[];
  readonly numbers: () => readonly unknown[];
}

function createBench(): Bench {
  const log: string[] = [];
  const connection = new SqliteConnection(
    new Database(':memory:', { verbose: (statement) => void log.push(String(statement)) }),
  );
  connection.runScript('PRAGMA foreign_keys = ON; CREATE TABLE t (n INTEGER PRIMARY KEY, parent REFERENCES t (n))');
  log.length = 0;
  const numbers = (): readonly unknown[] => connection.all('SELECT n FROM t ORDER BY n', []).map((row) => row['n']);
  return { connection, writer: new Writer(connection, 60_000), log, numbers };
}

const insert = 'INSERT INTO t (n, parent) VALUES ($1, $2)';

describe('group commit', () => {
  it('commits steps that arrive together in one transaction', async () => {
    const { connection, writer, log, numbers } = createBench();
    const changes = await Promise.all([1, 2, 3].map((n) => writer.step(() => connection.run(insert, [n, null]))));
    expect(changes).toEqual([1, 1, 1]);
    expect(log.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
    expect(numbers()).toEqual([1, 2, 3]);
  });

  it('acknowledges no step before the commit', async () => {
    const { connection, writer } = createBench();
    const open: boolean[] = [];
    const steps = [1, 2].map((n) =>
      writer.step(() => connection.run(insert, [n, null])).then(() => open.push(connection.inTransaction)),
    );
    await Promise.all(steps);
    expect(open).toEqual([false, false]);
  });

  it('rolls back only the changes of a step that fails', async () => {
    const { connection, writer, log, numbers } = createBench();
    const outcomes = await Promise.allSettled([
      writer.step(() => connection.run(insert, [1, null])),
      writer.step((transaction) =>
        inSavepoint(transaction, async () => {
          connection.run(insert, [2, null]);
          throw new Error('no');
        }),
      ),
      writer.step(() => connection.run(insert, [3, null])),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(log.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
    expect(numbers()).toEqual([1, 3]);
  });

  it('fails every step of a commit that fails, and continues', async () => {
    const { connection, writer, numbers } = createBench();
    const outcomes = await Promise.allSettled([
      writer.step(() => connection.run(insert, [1, null])),
      writer.step(() => {
        connection.run('PRAGMA defer_foreign_keys = ON');
        connection.run(insert, [2, 99]);
      }),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { name: 'ForeignKeyError' } },
      { status: 'rejected', reason: { name: 'ForeignKeyError' } },
    ]);
    await writer.step(() => connection.run(insert, [3, null]));
    expect(numbers()).toEqual([3]);
  });

  it('fails every step of a transaction that SQLite ended, and runs none of them alone', async () => {
    const { connection, writer, numbers } = createBench();
    const outcomes = await Promise.allSettled([
      writer.step(() => connection.run(insert, [1, null])),
      writer.step(() => connection.run('INSERT OR ROLLBACK INTO t (n) VALUES (1)')),
      writer.step(() => connection.run(insert, [3, null])),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(numbers()).toEqual([]);
  });

  it('fails the whole commit if one step takes too long, and continues', async () => {
    const { connection, writer, numbers } = createBench();
    const outcomes = await Promise.allSettled([
      writer.step(() => connection.run(insert, [1, null])),
      writer.step(() => Promise.withResolvers<void>().promise, 20),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } },
      { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } },
    ]);
    await writer.step(() => connection.run(insert, [2, null]));
    expect(numbers()).toEqual([2]);
  });

  it('answers SERVICE_UNAVAILABLE while the disk is full, and continues once there is room', async () => {
    const { connection, writer } = createBench();
    connection.all('PRAGMA max_page_count = 3', []);
    const filling = writer.step(() => connection.run("INSERT INTO t (parent) SELECT NULL FROM json_each('[1]')"));
    await filling;
    const big = writer.step(() => connection.run('CREATE TABLE big (a)'));
    const more = writer.step(() => connection.run('CREATE TABLE bigger (a)'));
    await expect(Promise.all([big, more])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await Promise.allSettled([big, more]);
    connection.all('PRAGMA max_page_count = 1000', []);
    await expect(writer.step(() => connection.run('CREATE TABLE small (a)'))).resolves.toBe(0);
  });

  it('waits in a close for earlier steps', async () => {
    const { connection, writer } = createBench();
    const step = writer.step(() => connection.run(insert, [1, null]));
    const transaction = writer.transaction(async () => connection.run(insert, [2, null]));
    await writer.close(20_000);
    await expect(Promise.all([step, transaction])).resolves.toEqual([1, 1]);
  });
});

it('lets the event loop continue between consecutive transactions', async () => {
  const { writer } = createBench();
  let ticked = false;
  setTimeout(() => (ticked = true), 1);
  // The transactions take far longer than the timer.
  for (let left = 100_000; !ticked && left > 0; left -= 1) await writer.transaction(() => Promise.resolve());
  expect(ticked).toBe(true);
});
