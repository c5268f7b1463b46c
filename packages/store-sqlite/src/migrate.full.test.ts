import { once } from 'node:events';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoggerOption, toLogger } from '@x/errors';
import { MigrationError } from '@x/store';
import type { Migration, SqlDriver } from '@x/store-sql';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { runAtOnce, startProgram } from '@x/test-support/programs';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

const next: Migration = {
  number: migrations.length + 1,
  name: 'more',
  sql: 'CREATE TABLE more (id TEXT); CREATE TABLE most (id TEXT);',
};

function openDriver(path: string, known: readonly Migration[] = migrations): SqlDriver {
  const clock = new ManualClock();
  return createSqliteDriver({ path, clock, synchronous: 'FULL', migrations: known, patience: patient });
}

async function listTables(driver: SqlDriver): Promise<readonly unknown[]> {
  const rows = await driver.read("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", []);
  return rows.map((row) => row['name']);
}

/** The rows of a database that has all migrations. */
const applied = migrations.map(({ number }) => ({ number }));

describe('a start while another process writes', () => {
  it('waits longer for the writer than steps do, and warns once', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const warned: string[] = [];
    const logger = { ...toLogger(false), warn: (_: object, line: string) => void warned.push(line) };
    const driver = openImpatient(path, 60_000, logger);
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    const starting = driver.migrate();
    await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 30_000 });
    expect(warned[0]).toContain('The start waits, for up to 60 s, until another process has written to');
    other.exec('COMMIT');
    await starting;
    expect(warned).toHaveLength(1);
    other.close();
    await driver.close();
  });

  it('gives up when its time is over', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const driver = openImpatient(path, 50);
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(driver.migrate()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: 'Another process writes to the database file.' },
    });
    other.close();
    await driver.close();
  });
});

function openImpatient(path: string, startMs: number, logger?: LoggerOption): SqlDriver {
  const patience = { waitMs: 50, connectMs: 50, startMs };
  return createSqliteDriver({ path, clock: new ManualClock(), synchronous: 'FULL', migrations, patience, logger });
}

describe('migrate', () => {
  it('applies and records the missing migrations', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const old = openDriver(path);
    await old.migrate();
    await old.close();
    const driver = openDriver(path, [...migrations, next]);
    await driver.migrate();
    await driver.migrate();
    expect(await driver.read('SELECT number, name, applied_at FROM auth_migrations ORDER BY number', [])).toEqual(
      [...migrations, next].map(({ number, name }) => ({
        number,
        name,
        applied_at: new ManualClock().now().getTime(),
      })),
    );
    await driver.close();
  });

  it('refuses a newer schema and leaves it unchanged', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const newer = openDriver(path, [...migrations, next]);
    await newer.migrate();
    const older = openDriver(path);
    await expect(older.migrate()).rejects.toThrow(MigrationError);
    expect(await listTables(older)).toContain('more');
    await Promise.all([newer.close(), older.close()]);
  });

  it('refuses a migration that was edited after it was applied, and changes nothing', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const before = openDriver(path);
    await before.migrate();
    const edited = migrations.map((migration) => ({ ...migration, sql: `${migration.sql}\n` }));
    const after = openDriver(path, [...edited, next]);
    await expect(after.migrate()).rejects.toThrow(/edited/);
    expect(await listTables(after)).not.toContain('more');
    await Promise.all([before.close(), after.close()]);
  });

  it('rolls a failing migration back, and applies it once it is corrected', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const broken = openDriver(path, [...migrations, { ...next, sql: `${next.sql} NOT SQL;` }]);
    await expect(broken.migrate()).rejects.toThrow(/syntax/);
    expect(await listTables(broken)).not.toContain('more');
    expect(await broken.read('SELECT number FROM auth_migrations', [])).toEqual(applied);
    await broken.close();
    const repaired = openDriver(path, [...migrations, next]);
    await repaired.migrate();
    expect(await listTables(repaired)).toContain('most');
    await repaired.close();
  });

  it('lets 16 processes create one database at the same moment', async () => {
    await using temporary = await useTemporaryFolder();
    const outputs = await runAtOnce(16, new URL('../test/migrate.mjs', import.meta.url), `${temporary.folder}/test.db`);
    const numbers = outputs.map(Number).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
  });

  it('rolls back a migration whose process was killed', async () => {
    await using temporary = await useTemporaryFolder();
    const path = `${temporary.folder}/test.db`;
    const child = startProgram(new URL('../test/migrate-slowly.mjs', import.meta.url), path);
    // The log grows before the commit, because the migration no longer fits into memory.
    while (sizeOf(`${path}-wal`) < 4_000_000 && child.exitCode === null) await sleep(5);
    child.kill('SIGKILL');
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    const driver = openDriver(path, [...migrations, next]);
    await driver.migrate();
    const tables = await listTables(driver);
    expect(tables).toContain('more');
    expect(tables).not.toContain('half');
    expect(await driver.read('PRAGMA integrity_check', [])).toEqual([{ integrity_check: 'ok' }]);
    await driver.close();
  });
});

/** Returns the size of a file in bytes; 0 if it does not exist. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
