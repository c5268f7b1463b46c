import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryOptions, SqlDriver } from '@x/store-sql';
import { patient } from '@x/store-testing';
import type { Patience } from '@x/store/engine';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { query } from './testing/faulty-network.ts';

let database: PostgresDatabase;
let driver: SqlDriver;
beforeAll(async () => {
  database = await createPostgresDatabase();
  driver = createPostgresDriver({
    url: database.url,
    clock: { now: () => new Date(0) },
    maxConnections: 1,
    migrations,
  });
  await driver.migrate();
});
afterAll(async () => {
  await driver.close();
  await database.drop();
});

const scan: QueryOptions = { mayScan: true, maxRows: Infinity };

describe('the texts of a query', () => {
  const rows = `SELECT lpad(n::text, $1, '0') AS text FROM generate_series(1, 1000) AS n`;

  it.each([
    [4, 0, 1],
    [10, 999, 100],
    [10, 1000, 100],
    [10, 1001, 101],
    [1000, 31_000, 31],
    [1000, 32_000, 32],
    [1000, 33_000, 33],
    [100_000, 1, 1],
  ])('of rows of %i characters end with the row that makes them %i long', async (size, maxCharacters, expected) => {
    const found = await driver.query(rows, [size], { ...scan, maxCharacters });
    expect(found.isCut).toBe(true);
    expect(found.rows).toHaveLength(expected);
    expect(found.rows.map(({ text }) => Number(text))).toEqual(
      Array.from({ length: expected }, (_, index) => index + 1),
    );
  });

  it.each([1, 31, 32, 33, 34, 159, 160, 161, 162, 1000])('are complete if all %i rows fit', async (count) => {
    for (const maxRows of [count, Infinity]) {
      const text = 'SELECT n FROM generate_series(1, $1::int) AS n';
      const found = await driver.query(text, [count], { ...scan, maxRows, maxCharacters: 1e6 });
      expect([found.isCut, found.rows.length]).toEqual([false, count]);
    }
  });

  it.each([1, 32, 160])('are not cut if the last of %i rows reaches the bound', async (count) => {
    const text = `SELECT 'x' AS text FROM generate_series(1, $1::int)`;
    const options = { ...scan, maxCharacters: count };
    expect((await driver.query(text, [count], options)).isCut).toBe(false);
    expect((await driver.query(text, [count + 1], options)).isCut).toBe(true);
  });

  it('are never read beyond the next rows', async () => {
    // The query never reaches the row at which it fails.
    const text = `SELECT repeat('x', 1000000) AS text, 1 / ($1 - n) AS rest FROM generate_series(1, 5000) AS n`;
    const { rows: found, isCut } = await driver.query(text, [200], { ...scan, maxCharacters: 1 });
    expect([found.length, isCut]).toEqual([1, true]);
  });
});

describe('the time of a query', () => {
  it('has the limit of every statement', async () => {
    await expect(driver.query(sleep, [5], scan)).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
  });

  it('has the limit of every statement in a transaction, too, which continues after the query failed', async () => {
    await driver.transaction(async (inside) => {
      const nested = inside.transaction((within) => within.query(sleep, [5], scan));
      await expect(nested).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
      expect(await inside.read('SHOW statement_timeout', [])).toEqual([{ statement_timeout: '1750ms' }]);
    });
  });

  it('is not the reason of the error if an administrator ended the query', async () => {
    // The query has time left, even if the administrator is late.
    const patientDriver = createPostgresDriver({
      ...{ url: database.url, clock: { now: () => new Date(0) }, maxConnections: 2, migrations, patience: patient },
    });
    const refused = expectRefused(patientDriver.query(sleep, [600], scan));
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = $1`;
    while ((await patientDriver.read(cancel, [sleep])).length === 0);
    expect(await refused).toMatchObject({ code: '57014' });
    await patientDriver.close();
  });
});

it('gives long queries one connection, so that other queries need not wait for them', async () => {
  const shared = createPostgresDriver({
    ...{ url: database.url, clock: { now: () => new Date(0) }, maxConnections: 4, migrations, patience: patient },
  });
  const answered: string[] = [];
  const ask = async (caller: string, seconds: number): Promise<void> => {
    await shared.query(sleep, [seconds], { ...scan, caller });
    answered.push(caller);
  };
  const asked = [ask('ada', 1), ask('ada', 1), ask('bob', 1), ask('carol', 0)];
  await Promise.all(asked);
  expect(answered[0]).toBe('carol');
  await shared.close();
});

describe('a query whose rows arrive in parts', () => {
  const options = { ...scan, maxCharacters: 1e6 };
  /** The first part of its result arrives; a row of the second part takes long. */
  const slow = `SELECT n, CASE WHEN n = 40 THEN pg_sleep($1)::text END FROM generate_series(1, 100) AS n`;

  it('ends in time like any other, and its connection serves the next one', async () => {
    const [before] = await driver.read('SELECT pg_backend_pid() AS id', []);
    await expect(driver.query(slow, [5], options)).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
    expect(await driver.read('SELECT pg_backend_pid() AS id', [])).toEqual([before]);
    expect((await driver.query(slow, [0], options)).rows).toHaveLength(100);
  });

  it('fails with an error of a later part, and its connection serves the next one', async () => {
    const text = 'SELECT 1 / (n - $1) AS n FROM generate_series(1, 100) AS n';
    await expect(driver.query(text, [50], options)).rejects.toMatchObject({ code: '22012' });
    expect((await driver.query(text, [101], options)).rows).toHaveLength(100);
  });

  it('is refused if its connection is lost between parts, which is replaced', async () => {
    const refused = expectRefused(driver.query(slow, [5], options));
    const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'
      AND datname = current_database()`;
    while ((await query(database.url, ended)).length === 0);
    expect(await refused).toMatchObject({ code: '57P01' });
    expect((await driver.query(slow, [0], options)).rows).toHaveLength(100);
  });

  it('sees its transaction, which continues after the result was cut', async () => {
    await driver.transaction(async (inside) => {
      await inside.execute(
        'INSERT INTO auth_counters (name, value) SELECT $1 || n, n FROM generate_series(1, 500) AS n',
        ['part'],
      );
      const text = `SELECT name FROM auth_counters WHERE starts_with(name, $1) ORDER BY value`;
      const found = await inside.query(text, ['part'], { ...scan, maxCharacters: 1000 });
      expect([found.isCut, found.rows.at(-1)]).toEqual([true, { name: 'part159' }]);
      expect((await inside.query(text, ['part'], options)).rows).toHaveLength(500);
    });
  });
});

describe('a close while queries wait in the queue', () => {
  const open = (limitMs: number, patience?: Patience): SqlDriver =>
    createPostgresDriver({
      ...{ url: database.url, clock: { now: () => new Date(0) }, maxConnections: 2, migrations, limitMs },
      ...(patience && { patience }),
    });

  it('waits for all queries', async () => {
    const closing = open(60_000, patient);
    const queries = Array.from({ length: 4 }, () => closing.query(sleep, [0.1], scan));
    await closing.close();
    expect(await Promise.allSettled(queries)).toMatchObject(queries.map(() => ({ status: 'fulfilled' })));
    await expect(closing.query(sleep, [0], scan)).rejects.toThrow(TypeError);
  });

  it('refuses queries that do not end in time', async () => {
    const closing = open(100);
    const queries = Array.from({ length: 4 }, () => closing.query(sleep, [1.5], scan));
    const refused = Promise.allSettled(queries);
    await closing.close();
    const outcomes = await refused;
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } });
  });
});

const sleep = 'SELECT pg_sleep($1)';
