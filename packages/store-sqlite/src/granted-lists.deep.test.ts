import type { EntityListing, UserId } from '@x/store';
import { granted } from '@x/store/where';
import { createSqlStores } from '@x/store-sql';
import { ManualClock } from '@x/store-testing/clock';
import Database from 'better-sqlite3';
import { measurePause } from '@x/test-support/measure';
import { expect, it } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { migrations } from './migrations/migrations.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

const user = 'ada' as UserId;
const order = [{ column: 'id', direction: 'asc' }] as const;
const toId = (index: number): string => `note-${String(index).padStart(4, '0')}`;

it('lists the right rows for a user with too many roles to start from, and few in the table', async () => {
  const entities = [
    { name: 'notes', columns: [{ name: 'title', type: 'text', nullable: true }], indexes: [] },
  ] as const;
  const stores = createSqliteStores({ path: ':memory:', clock: new ManualClock(), entities });
  await stores.migrate();
  const expected = [3, 420, 446, 447, 449].map(toId);
  await stores.transaction(async (inside) => {
    for (let index = 0; index < 450; index += 1) await inside.entities.create('notes', { id: toId(index), title: 'x' });
    // A role may be on a resource that does not exist.
    const others = Array.from({ length: 5001 }, (_, index) => `other-${index}`);
    for (const id of [...expected, ...others]) {
      await inside.roleAssignments.assign({ userId: user, resource: { type: 'note', id }, role: 'editor' });
    }
  });
  const resources = { userId: user, type: 'note', roles: ['editor'], inheritance: [] };
  const list = async (limit: number, after: EntityListing['after'] = null): Promise<readonly string[]> => {
    const where = granted('id', resources);
    const { records } = await stores.entities.list('notes', { where, order, limit, after });
    return records.map(({ row }) => row.id);
  };
  expect(await list(1)).toEqual(expected.slice(0, 1));
  expect(await list(3)).toEqual(expected.slice(0, 3));
  expect(await list(5)).toEqual(expected);
  expect(await list(50)).toEqual(expected);
  expect(await list(50, [toId(420)])).toEqual(expected.slice(2));
  await stores.close();
});

it('does not block the event loop to count the resources below a role', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const entities = [{ name: 'notes', columns: [], indexes: [] }] as const;
  const clock = new ManualClock();
  // The time of a statement depends on the machine, so this test does not limit it.
  const queryLimits = { statementMs: 60_000, maxWaitMs: 60_000, idleMs: 60_000 };
  const driver = createSqliteDriver({ path, clock, synchronous: 'FULL', migrations, queryLimits });
  const stores = createSqlStores({ driver, clock, entities });
  await stores.migrate();
  const resource = { type: 'project', id: 'p' };
  await stores.roleAssignments.assign({ userId: user, resource, role: 'editor' });
  const fill = new Database(path);
  // One shelf is reached through each of 300 folders, and has many files, which inherit nothing.
  fill.exec(`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000)
    INSERT INTO access_edges SELECT 'folder', 'f' || n, 'project', 'p' FROM s WHERE n <= 300
    UNION ALL SELECT 'shelf', 's', 'folder', 'f' || n FROM s WHERE n <= 300
    UNION ALL SELECT 'file', 'f' || n, 'shelf', 's' FROM s`);
  fill.close();
  const kinds = ['project', 'folder', 'shelf', 'note'].map((type) => ({ type, role: 'editor' }));
  const inheritance = kinds.slice(1).map((child, index) => ({ parent: kinds[index]!, child }));
  const where = granted('id', { userId: user, type: 'note', roles: ['editor'], inheritance });
  const { result, longestMs } = await measurePause(() =>
    stores.entities.list('notes', { where, order, limit: 20, after: null }),
  );
  expect(result.records).toEqual([]);
  expect(longestMs).toBeLessThan(50);
  await stores.close();
});
