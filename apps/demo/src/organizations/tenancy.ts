import type { AuthOptions } from '@x/auth';
import type { Stores, TransactionStores, UserId } from '@x/store';
import { isIn } from '@x/store/where';

/** Builds auth's view of the organizations that a user belongs to. */
export function createTenancy(stores: Stores): NonNullable<AuthOptions['tenant']> {
  return {
    async list({ id }) {
      const ids = await organizationIdsOf(stores, id);
      const found = await stores.entities.list('organizations', {
        where: isIn('id', ids),
        order: [{ column: 'id', direction: 'asc' }],
        after: null,
        limit: Math.max(1, ids.length),
      });
      return found.map(({ row }) => ({ id: row.id, name: (row as unknown as { readonly name: string }).name }));
    },
    isMember: async ({ id }, tenantId, { stores: inside }) => (await organizationIdsOf(inside, id)).includes(tenantId),
  };
}

async function organizationIdsOf({ roleAssignments }: TransactionStores, userId: string): Promise<readonly string[]> {
  const held = await roleAssignments.listByUser(userId as UserId);
  const ids = held.filter(({ resource }) => resource.type === 'organization').map(({ resource }) => resource.id);
  return [...new Set(ids)];
}
