import { hash } from 'node:crypto';
import { type Clock, MigrationError } from '@x/store';
import type { SqlDialect } from './sql-dialect.ts';
import type { MigrationExecutor, MigrationSession } from './sql-driver.ts';
import type { SqlRow } from './sql-executor.ts';

const selectApplied = 'SELECT number, name, checksum FROM auth_migrations ORDER BY number';

const insertApplied = 'INSERT INTO auth_migrations (number, name, checksum, applied_at) VALUES ($1, $2, $3, $4)';

/**
 * Applies every pending migration, each in a transaction that also determines which one it is, then runs `andThen`.
 *
 * @throws MigrationError if this version can't work with the schema
 */
export async function applyMigrations(session: MigrationSession, options: MigrationOptions): Promise<void> {
  while (await session.transaction((executor) => applyNextMigration(executor, options)));
  await options.andThen?.(session);
}

/**
 * Applies the first pending migration, together with its entry in `auth_migrations`, and says whether there was one.
 * Creates that table if there is none.
 */
async function applyNextMigration(
  executor: MigrationExecutor,
  { dialect, known, clock }: MigrationOptions,
): Promise<boolean> {
  await executor.runScript(createApplied(dialect));
  const applied = (await executor.read(selectApplied, [])).map(toAppliedMigration);
  const [next] = planMigrations(known, applied);
  if (!next) return false;
  await executor.runScript(next.sql);
  await executor.execute(insertApplied, [next.number, next.name, toChecksum(next), clock.now().getTime()]);
  return true;
}

interface MigrationOptions {
  readonly dialect: SqlDialect;
  readonly known: readonly Migration[];
  readonly clock: Clock;
  readonly andThen: ((session: MigrationSession) => Promise<void>) | undefined;
}

function createApplied({ columnTypes: { integer, text }, tableOptions }: SqlDialect): string {
  return `CREATE TABLE IF NOT EXISTS auth_migrations (
    number ${integer} NOT NULL PRIMARY KEY,
    name ${text} NOT NULL,
    checksum ${text} NOT NULL,
    applied_at ${integer} NOT NULL
  ) ${tableOptions}`;
}

function toAppliedMigration(columns: SqlRow): AppliedMigration {
  const { number, name, checksum } = columns as unknown as AppliedMigration;
  return { number: Number(number), name, checksum };
}

/** One numbered step of the schema. Never edited once a version that contains it is published. */
export interface Migration {
  readonly number: number;
  /** The file name without its extension, such as `0001_initial`. */
  readonly name: string;
  readonly sql: string;
}

/** A migration as recorded in the database. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/** Returns the SHA-256 of a migration's text, in hex. */
export function toChecksum(migration: Migration): string {
  return hash('sha256', migration.sql);
}

/**
 * Decides which migrations are pending, in order.
 *
 * @throws MigrationError if the database has a migration that this version does not know or that differs from it, or
 * lacks one before the last it has
 */
export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  for (const entry of applied) assertUnchanged(entry, known);
  const numbers = new Set(applied.map(({ number }) => number));
  const pending = known.filter(({ number }) => !numbers.has(number)).toSorted((a, b) => a.number - b.number);
  assertNoGap(pending, applied);
  return pending;
}

function assertUnchanged(entry: AppliedMigration, known: readonly Migration[]): void {
  const migration = known.find(({ number }) => number === entry.number);
  if (!migration) {
    throw new MigrationError(
      `The database has migration ${entry.name}, which this version does not know. ` +
        'It was made by a newer version: run that one, or restore a backup from before the update.',
    );
  }
  if (toChecksum(migration) === entry.checksum) return;
  throw new MigrationError(
    `Migration ${entry.name} was edited after it was applied to this database. ` +
      'Put the file back as it was and make the change in a new migration.',
  );
}

function assertNoGap(pending: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const last = applied.reduce((highest, { number }) => Math.max(highest, number), 0);
  const skipped = pending.find(({ number }) => number < last);
  if (!skipped) return;
  throw new MigrationError(
    `Migration ${skipped.name} was never applied to this database, but a later one was. ` +
      'Give it a number above the last applied one.',
  );
}
