import { MigrationError } from '@x/store';
import { describe, expect, it } from 'vitest';

import { type AppliedMigration, type Migration, planMigrations, toChecksum } from './migrations.ts';

const first: Migration = { number: 1, name: '0001_initial', sql: 'CREATE TABLE a (id TEXT);' };
const second: Migration = { number: 2, name: '0002_more', sql: 'CREATE TABLE b (id TEXT);' };

function toApplied(migration: Migration): AppliedMigration {
  return { number: migration.number, name: migration.name, checksum: toChecksum(migration) };
}

describe('planMigrations', () => {
  it('plans every migration for an empty database, in order', () => {
    expect(planMigrations([second, first], [])).toEqual([first, second]);
  });

  it('leaves out applied migrations', () => {
    expect(planMigrations([first, second], [toApplied(first)])).toEqual([second]);
    expect(planMigrations([first, second], [toApplied(first), toApplied(second)])).toEqual([]);
  });

  it('refuses a schema of a newer version, and names the migration', () => {
    const plan = (): unknown => planMigrations([first], [toApplied(first), toApplied(second)]);
    expect(plan).toThrow(MigrationError);
    expect(plan).toThrow(/0002_more.*newer version/);
  });

  it('refuses a migration that was edited after it was applied, and names it', () => {
    const plan = (): unknown => planMigrations([{ ...first, sql: `${first.sql} ` }, second], [toApplied(first)]);
    expect(plan).toThrow(MigrationError);
    expect(plan).toThrow(/0001_initial was edited/);
  });

  it('accepts a migration of which only the name changed', () => {
    expect(planMigrations([{ ...first, name: '0001_users' }], [toApplied(first)])).toEqual([]);
  });

  it('refuses a new migration below an applied one, and names it', () => {
    const plan = (): unknown => planMigrations([first, second], [toApplied(second)]);
    expect(plan).toThrow(MigrationError);
    expect(plan).toThrow(/0001_initial was never applied/);
  });
});
