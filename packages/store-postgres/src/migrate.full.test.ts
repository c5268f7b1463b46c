import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { MigrationError } from '@x/store';
import type { Migration, SqlDriver } from '@x/store-sql';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase } from '@x/test-support/database';
import { startProgram } from '@x/test-support/programs';
import pg from 'pg';
import { describe, expect, onTestFinished, it, vi } from 'vitest';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations/migrations.ts';

const next: Migration = {
  number: migrations.length + 1,
  name: 'more',
  sql: 'CREATE TABLE more (id TEXT); CREATE TABLE most (id TEXT);',
};

/** The rows of a database that has all migrations. */
const applied = migrations.map(({ number }) => ({ number: String(number) }));

it('compares every text by code point, as the other stores do', async () => {
  const driver = openDriver(await createDatabase());
  await driver.migrate();
  const others = `
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`;
  expect(await driver.read(others, [])).toEqual([]);
});

describe('migrate', () => {
  it('applies and records the missing migrations', async () => {
    const url = await createDatabase();
    await openDriver(url).migrate();
    const driver = openDriver(url, [...migrations, next]);
    await driver.migrate();
    await driver.migrate();
    const appliedAt = String(new ManualClock().now().getTime());
    expect(await driver.read('SELECT number, name, applied_at FROM auth_migrations ORDER BY number', [])).toEqual(
      [...migrations, next].map(({ number, name }) => ({ number: String(number), name, applied_at: appliedAt })),
    );
  });

  it('says that a database was never migrated', async () => {
    const driver = openDriver(await createDatabase());
    const read = driver.read('SELECT 1 FROM auth_users', []);
    await expect(read).rejects.toMatchObject({ name: 'MigrationError' });
  });

  it('refuses a newer schema and leaves it unchanged', async () => {
    const url = await createDatabase();
    await openDriver(url, [...migrations, next]).migrate();
    const older = openDriver(url);
    await expect(older.migrate()).rejects.toThrow(MigrationError);
    expect(await listTables(older)).toContain('more');
  });

  it('refuses a migration that was edited after it was applied, and changes nothing', async () => {
    const url = await createDatabase();
    await openDriver(url).migrate();
    const edited = migrations.map((migration) => ({ ...migration, sql: `${migration.sql}\n` }));
    const after = openDriver(url, [...edited, next]);
    await expect(after.migrate()).rejects.toThrow(/edited/);
    expect(await listTables(after)).not.toContain('more');
  });

  it('rolls a failing migration back, and applies it once it is corrected', async () => {
    const url = await createDatabase();
    const broken = openDriver(url, [...migrations, { ...next, sql: `${next.sql} NOT SQL;` }]);
    await expect(broken.migrate()).rejects.toThrow(/syntax/);
    expect(await listTables(broken)).not.toContain('more');
    expect(await broken.read('SELECT number FROM auth_migrations', [])).toEqual(applied);
    const repaired = openDriver(url, [...migrations, next]);
    await repaired.migrate();
    expect(await listTables(repaired)).toContain('most');
  });

  it('lets 16 processes start on one empty database at the same moment', { timeout: 120_000 }, async () => {
    const processes = await startMigrators(16);
    for (let round = 0; round < (process.env['DEEP'] ? 20 : 2); round += 1) {
      const url = await createDatabase();
      const outcomes = await Promise.all(processes.map((child) => migrateBy(child, url)));
      expect(outcomes.toSorted((a, b) => Number(a) - Number(b))).toEqual(processes.map((_, index) => index + 1));
      expect(await openDriver(url).read('SELECT number FROM auth_migrations', [])).toEqual(applied);
    }
  });

  it('lets many processes start at the same moment where the default isolation is a snapshot', async () => {
    const url = await createDatabase();
    const settings = new pg.Client(url);
    await settings.connect();
    const { pathname } = new URL(url);
    await settings.query(`ALTER DATABASE ${pathname.slice(1)} SET default_transaction_isolation = 'repeatable read'`);
    await settings.end();
    const drivers = Array.from({ length: 8 }, () => openDriver(url));
    await Promise.all(drivers.map((driver) => driver.migrate()));
    expect(await drivers[0]!.read('SELECT number FROM auth_migrations', [])).toEqual(applied);
  });

  it('lets others read a table that a migration waits for, and applies it afterwards', async () => {
    const url = await createDatabase();
    const driver = openDriver(url);
    await driver.migrate();
    const holder = new pg.Client(url);
    await holder.connect();
    await holder.query('BEGIN; SELECT FROM auth_counters');
    const sql = 'ALTER TABLE auth_counters ADD COLUMN more TEXT';
    const migrating = openDriver(url, [...migrations, { ...next, sql }]).migrate();
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query = $1`;
    await vi.waitFor(async () => expect(await driver.read(waiting, [sql])).toHaveLength(1), { timeout: 30_000 });
    expect(await driver.read('SELECT FROM auth_counters', [])).toEqual([]);
    await holder.query('COMMIT');
    await holder.end();
    await migrating;
    expect(await driver.read('SELECT more FROM auth_counters', [])).toEqual([]);
  });

  it('rolls back and repeats the migration of a killed process, without waiting for its statement', async () => {
    const url = await createDatabase();
    const child = startProgram(new URL('../test/migrate-slowly.mjs', import.meta.url), url);
    const driver = openDriver(url, [...migrations, next]);
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
    await vi.waitFor(async () => expect(await driver.read(sleeping, [])).toHaveLength(1), { timeout: 30_000 });
    child.kill('SIGKILL');
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    await driver.migrate();
    const tables = await listTables(driver);
    expect(tables).toContain('more');
    expect(tables).not.toContain('half');
  });
});

/** Makes an empty database that is dropped after the test. */
async function createDatabase(): Promise<string> {
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

function openDriver(url: string, known: readonly Migration[] = migrations): SqlDriver {
  const own = { url, maxConnections: 2, migrations: known, patience: patient };
  const driver = createPostgresDriver({ ...own, clock: new ManualClock() });
  onTestFinished(() => driver.close());
  return driver;
}

async function listTables(driver: SqlDriver): Promise<readonly unknown[]> {
  const rows = await driver.read(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`, []);
  return rows.map((row) => row['tablename']);
}

/** Starts processes that migrate a database on demand, until the end of the test. */
async function startMigrators(count: number): Promise<readonly ChildProcess[]> {
  const program = new URL('../test/migrate-often.mjs', import.meta.url);
  const children = Array.from({ length: count }, () => startProgram(program, ''));
  onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
  await Promise.all(children.map((child) => once(child, 'message')));
  return children;
}

/** Returns how many processes have migrated the database by then, or their error. */
async function migrateBy(child: ChildProcess, url: string): Promise<unknown> {
  const answered = once(child, 'message');
  child.send(url);
  return (await answered)[0];
}
