import { type AppliedMigration, type Migration, planMigrations, toChecksum } from './plan-migrations.ts';
import type { MigrationScope, SqlRow } from './sql-driver.ts';

const selectApplied = 'SELECT number, name, checksum FROM auth_migrations ORDER BY number';

const insertApplied = 'INSERT INTO auth_migrations (number, name, checksum, applied_at) VALUES ($1, $2, $3, $4)';

/**
 * Applies the first pending migration, together with its entry in `auth_migrations`, and says whether there was one.
 * That table must exist.
 *
 * @throws MigrationError if this version can't work with the schema
 */
export async function applyNextMigration(
  scope: MigrationScope,
  { known, now }: { readonly known: readonly Migration[]; readonly now: Date },
): Promise<boolean> {
  const applied = (await scope.read(selectApplied, [])).map(toAppliedMigration);
  const [next] = planMigrations(known, applied);
  if (!next) return false;
  await scope.runScript(next.sql);
  await scope.execute(insertApplied, [next.number, next.name, toChecksum(next), now.getTime()]);
  return true;
}

function toAppliedMigration(columns: SqlRow): AppliedMigration {
  const { number, name, checksum } = columns as unknown as AppliedMigration;
  return { number: Number(number), name, checksum };
}
