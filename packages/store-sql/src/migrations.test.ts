import { MigrationError } from '@x/store';
import { describe, expect, test } from 'vitest';

import { type AppliedMigration, type Migration, planMigrations, toChecksum } from './migrations.ts';

const first: Migration = { number: 1, name: '0001_auth', sql: 'CREATE TABLE a (id TEXT);' };
const second: Migration = { number: 2, name: '0002_more', sql: 'CREATE TABLE b (id TEXT);' };

function toApplied(migration: Migration): AppliedMigration {
  return { number: migration.number, name: migration.name, checksum: toChecksum(migration) };
}

describe('planMigrations', () => {
  test('an empty database gets every migration, in order', () => {
    expect(planMigrations([second, first], [])).toEqual([first, second]);
  });

  test('applied migrations are left out', () => {
    expect(planMigrations([first, second], [toApplied(first)])).toEqual([second]);
    expect(planMigrations([first, second], [toApplied(first), toApplied(second)])).toEqual([]);
  });

  test('a schema of a newer version is refused by name', () => {
    const plan = (): unknown => planMigrations([first], [toApplied(first), toApplied(second)]);
    expect(plan).toThrow(MigrationError);
    expect(plan).toThrow(/0002_more.*newer version/);
  });

  test('a migration that was edited after it was applied is refused by name', () => {
    const plan = (): unknown => planMigrations([{ ...first, sql: `${first.sql} ` }, second], [toApplied(first)]);
    expect(plan).toThrow(MigrationError);
    expect(plan).toThrow(/0001_auth was edited/);
  });

  test('a migration that only changed its name is still the same', () => {
    expect(planMigrations([{ ...first, name: '0001_users' }], [toApplied(first)])).toEqual([]);
  });

  test('a migration that comes in below an applied one is refused by name', () => {
    const plan = (): unknown => planMigrations([first, second], [toApplied(second)]);
    expect(plan).toThrow(MigrationError);
    expect(plan).toThrow(/0001_auth was never applied/);
  });
});
