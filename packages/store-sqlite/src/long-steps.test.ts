import type { EntityTable, Stores, UserId } from '@x/store';
import { all } from '@x/store/where';
import { createSqlStores } from '@x/store-sql';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { aroundStatements } from './testing/around-statements.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

const entities: readonly EntityTable[] = [
  { name: 'projects', columns: [{ name: 'name', type: 'text', nullable: false }], indexes: [] },
  {
    name: 'tasks',
    columns: [
      { name: 'projectId', type: 'text', nullable: false, references: { entity: 'projects', onDelete: 'cascade' } },
    ],
    indexes: [],
  },
  {
    name: 'notes',
    columns: [
      { name: 'taskId', type: 'text', nullable: true, references: { entity: 'tasks', onDelete: 'cascade' } },
      { name: 'projectId', type: 'text', nullable: true, references: { entity: 'projects', onDelete: 'setNull' } },
    ],
    indexes: [],
  },
];

/** The number of rows, and how many of them one statement may read or change. */
const [many, most] = [1600, 1100];

const userId = 'user-1' as UserId;
const [organization, project] = [
  { type: 'organization', id: 'o' },
  { type: 'project', id: 'p' },
];

interface Opened {
  readonly stores: Stores;
  /** Returns the most rows that one statement has read, and changed, since the last call. */
  readonly takeMost: () => number;
}

/** Opens stores whose statements are watched, including the changes by triggers and references. */
async function open(): Promise<Opened> {
  const temporary = await useTemporaryFolder();
  const database = new Database(`${temporary.folder}/test.db`);
  const clock = new ManualClock();
  const own = { path: `${temporary.folder}/test.db`, database, synchronous: 'NORMAL', migrations } as const;
  const driver = createSqliteDriver({ ...own, clock, limitMs: 60_000, patience: patient });
  const changes = database.prepare('SELECT total_changes()').pluck();
  let highest = 0;
  const watched = aroundStatements(driver, async (_, run) => {
    const before = Number(changes.get());
    const outcome = await run();
    highest = Math.max(highest, Array.isArray(outcome) ? outcome.length : 0, Number(changes.get()) - before);
    return outcome;
  });
  const stores = createSqlStores({ driver: watched, clock, entities });
  await stores.migrate();
  onTestFinished(async () => {
    await stores.close();
    database.close();
    await temporary[Symbol.asyncDispose]();
  });
  return {
    stores,
    takeMost() {
      const taken = highest;
      highest = 0;
      return taken;
    },
  };
}

const ids = Array.from({ length: many }, (_, index) => String(index));

it('deletes a record with any number of dependent records by statements of few rows each', async () => {
  const { stores, takeMost } = await open();
  await stores.transaction(async (inside) => {
    for (const id of ['p', 'q']) await inside.entities.create('projects', { id, name: id });
    for (const id of ids) {
      await inside.entities.create('tasks', { id, projectId: 'p' });
      await inside.entities.create('notes', { id: `of ${id}`, taskId: id, projectId: null });
      await inside.entities.create('notes', { id: `about ${id}`, taskId: null, projectId: 'p' });
    }
  });
  takeMost();
  expect(await stores.entities.delete('projects', 'p', { where: all })).not.toBeNull();
  expect(takeMost()).toBeLessThan(most);
  expect(await stores.entities.count('tasks', all)).toBe(0);
  expect(await stores.entities.count('notes', all)).toBe(many);
  expect(await stores.entities.deleteAll('notes', all)).toBe(many);
  expect(takeMost()).toBeLessThan(most);
});

it('removes a resource with any number of descendants by statements of few rows each', async () => {
  const { stores, takeMost } = await open();
  const { hierarchy } = stores;
  await stores.transaction(async (inside) => {
    await inside.hierarchy.attach({ child: project, parent: organization });
    for (const id of ids) {
      const task = { type: 'task', id };
      await inside.hierarchy.attach({ child: task, parent: project });
      await inside.roleAssignments.assign({ userId, resource: task, role: 'editor' });
    }
  });
  takeMost();
  expect(await hierarchy.removeSubtree(project)).toHaveLength(1 + many);
  expect(takeMost()).toBeLessThan(most);
  expect(await hierarchy.descendants(organization)).toEqual([]);
  expect(await stores.roleAssignments.listByUser(userId)).toEqual([]);
});
