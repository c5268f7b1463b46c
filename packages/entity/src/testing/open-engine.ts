import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import { onTestFinished } from 'vitest';
import type { Model } from '../model/model.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';

/** Every engine by its name. */
export const engines = ['memory', 'sqlite', 'postgres'] as const;

/** The name of an engine. */
export type Engine = (typeof engines)[number];

/** Opens migrated stores with the tables of models, until the test has finished. */
export async function openEngine(engine: Engine, models: readonly Model[]): Promise<Stores> {
  const [stores] = await openProcesses(engine, models, 1);
  if (!stores) throw new TypeError('No stores were opened.');
  return stores;
}

/** Opens one database as several processes would; in memory, they share one store. */
export async function openProcesses(
  engine: Engine,
  models: readonly Model[],
  count: number,
): Promise<readonly Stores[]> {
  const open = await createOpen(engine, models, count);
  const processes = Array.from({ length: count }, open);
  onTestFinished(async () => {
    await Promise.all(processes.map((stores) => stores.close()));
  });
  await processes[0]?.migrate();
  return processes;
}

async function createOpen(engine: Engine, models: readonly Model[], count: number): Promise<() => Stores> {
  const options = { clock: new ManualClock(), entities: toEntityTables(models) };
  if (engine === 'memory') {
    const stores = createMemoryStores({ patience: patient, ...options });
    return () => stores;
  }
  if (engine === 'sqlite') {
    if (count === 1) return () => createSqliteStores({ patience: patient, path: ':memory:', ...options });
    const folder = mkdtempSync(join(tmpdir(), 'engine-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return () => createSqliteStores({ patience: patient, path: join(folder, 'app.db'), ...options });
  }
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  return () => createPostgresStores({ patience: patient, url: database.url, ...options });
}
