import type { EntityListing, UserId } from '@x/store';
import { granted } from '@x/store/where';
import { ManualClock } from '@x/store/testing';
import { expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';

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
