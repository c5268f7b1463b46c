import { ConfigurationError } from '@x/errors';
import type { OwnMigration, MigrationStep } from '@x/store';
import { createAppSql } from '../app-sql.ts';
import type { MigrationExecutor, MigrationSession } from '../sql-driver.ts';
import type { SqlExecutor } from '../sql-executor.ts';

/**
 * Checks the steps of the app's own.
 *
 * @throws ConfigurationError naming every id that is empty or given twice
 */
export function checkOwnMigrations(migrations: readonly OwnMigration[]): void {
  const ids = migrations.map(({ id }) => id);
  const problems = ids.flatMap((id, at) => [
    ...(id === '' ? ['migrations: an id is empty'] : []),
    ...(ids.indexOf(id) < at ? [`migrations: two steps have the id ${id}`] : []),
  ]);
  if (problems.length > 0) throw new ConfigurationError(problems);
}

const selectApplied = 'SELECT id FROM auth_own_migrations';

/** Lists those that were not taken yet. */
export async function listPending(
  executor: Pick<SqlExecutor, 'read'>,
  migrations: readonly OwnMigration[],
): Promise<readonly OwnMigration[]> {
  if (migrations.length === 0) return [];
  const applied = new Set((await executor.read(selectApplied, [])).map(({ id }) => id));
  return migrations.filter(({ id }) => !applied.has(id));
}

const insertApplied = 'INSERT INTO auth_own_migrations (id, applied_at) VALUES ($1, $2)';

/** Takes steps, unless another process has done so meanwhile. */
export async function applyOwnMigrations(
  session: MigrationSession,
  migrations: readonly OwnMigration[],
  now: Date,
): Promise<void> {
  for (const migration of migrations) {
    await session.transaction(async (executor) => {
      if ((await listPending(executor, [migration])).length === 0) return;
      await run(executor, migration);
      await executor.execute(insertApplied, [migration.id, now.getTime()]);
    });
  }
}

/** A statement that failed fails the step, even if its error is caught. */
async function run(executor: MigrationExecutor, migration: OwnMigration): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  const sql = createAppSql({
    async run(work) {
      if (isOver) throw new TypeError(`The migration ${migration.id} has ended: wait for each of its statements.`);
      try {
        return await work((text, values) => executor.runOfApp(text, values));
      } catch (error) {
        failure ??= { error };
        throw error;
      }
    },
  });
  try {
    await migration.up(sql);
  } finally {
    isOver = true;
  }
  if (failure) throw failure.error;
}

/** Says what a step is, as far as that is known. */
export function describeOwnMigration({ id }: OwnMigration): MigrationStep {
  return { kind: 'expand', entity: null, title: `run ${id}`, statement: null, locks: 'briefly' };
}
