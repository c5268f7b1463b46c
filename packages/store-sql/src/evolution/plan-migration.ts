import type { MigrateOptions, MigrationPlan, PlannedStep } from '@x/store';
import { MigrationError } from '@x/store';
import type { SqlExecutor } from '../sql-executor.ts';
import { compareExisting } from '../entity/existing-table.ts';
import { countRows } from './check-rows.ts';
import { type EvolutionOptions, planTables } from './plan-tables.ts';
import { isAfterOwn, isRowStep } from './sort-steps.ts';
import { describeOwnMigration, listPending } from './own-migrations.ts';
import type { EvolutionStep } from './evolution-plan.ts';
import { describeStep, type StepPlace, toUnfit } from './step-sql.ts';

type Reader = Pick<SqlExecutor, 'read'>;

/** Plans the migration of the tables of entities as if every step were allowed. Reads only. */
export async function planMigration(
  executor: Reader,
  options: Omit<EvolutionOptions, keyof MigrateOptions> & Pick<MigrateOptions, 'revert'>,
): Promise<MigrationPlan> {
  const { entities, dialect } = options;
  const known = await toReader(executor);
  const { evolutions, problems, notices } = await planTables(known, { ...options, allowContract: true });
  const own = (await listPending(known, options.migrations)).map((step) => ({
    ...describeOwnMigration(step),
    rows: 0,
  }));
  const [before, after]: [PlannedStep[], PlannedStep[]] = [[], []];
  for (const { match, place, plan, now, later } of evolutions) {
    for (const step of [...now, ...later]) {
      const rows = match.known ? await countConcerned(executor, place, step) : 0;
      const isLast = own.length > 0 && isAfterOwn(step, plan.steps);
      (isLast ? after : before).push({ ...describeStep(place, step), rows });
    }
  }
  // What steps of the app's own do to existing tables is not known before they are taken.
  const existing = own.length > 0 ? { problems: [] } : await compareExisting(executor, dialect, entities);
  return { steps: [...before, ...own, ...after], problems: [...existing.problems, ...problems], notices };
}

/** In a database that was never migrated, there is nothing to read. */
async function toReader(executor: Reader): Promise<Reader> {
  try {
    await executor.read('SELECT 1 FROM auth_entity_tables LIMIT 1', []);
    return executor;
  } catch (error) {
    if (error instanceof MigrationError) return { read: async () => [] };
    throw error;
  }
}

async function countConcerned(executor: Reader, place: StepPlace, step: EvolutionStep): Promise<number> {
  const { table } = place.target;
  if (isRowStep(step)) return countRows(executor, table, toUnfit(place, step));
  if (step.type === 'replaceColumn') return countRows(executor, table, `"${step.from.column}" IS NOT NULL`);
  if (step.type === 'createIndex') return countRows(executor, table, 'TRUE');
  if (step.type === 'dropColumn') return countRows(executor, table, `"${step.from.column}" IS NOT NULL`);
  return 0;
}
