import type { Tenancy } from '@x/auth';
import type { Stores, TransactionStores, UserId } from '@x/store';
import { isIn } from '@x/store/where';
import type { Settings } from '../settings.ts';

/** Builds auth's view of the organizations that a user belongs to. */
export function createTenancy({ type }: Settings, stores: Stores): Tenancy {
  const idsOf = async ({ roleAssignments }: TransactionStores, userId: string): Promise<readonly string[]> => {
    const assignments = await roleAssignments.listByUser(userId as UserId);
    return [
      ...new Set(assignments.filter(({ resource }) => resource.type === type).map(({ resource }) => resource.id)),
    ];
  };
  return {
    async list({ id }) {
      const ids = await idsOf(stores, id);
      const { records } = await stores.entities.list('organizations', {
        where: isIn('id', ids),
        order: [{ column: 'id', direction: 'asc' }],
        after: null,
        limit: Math.max(1, ids.length),
      });
      return records.map(({ row }) => ({ id: row.id, name: (row as unknown as { readonly name: string }).name }));
    },
    isMember: async ({ id }, tenantId, { stores: inside }) => (await idsOf(inside, id)).includes(tenantId),
  };
}
