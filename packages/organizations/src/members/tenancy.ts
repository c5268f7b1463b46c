import type { Tenancy } from '@x/auth';
import { isStorableText, type Stores, type UserId } from '@x/store';
import { isIn } from '@x/store/where';
import type { Settings } from '../settings.ts';

/** Builds auth's view of the organizations that a user belongs to. */
export function createTenancy({ type }: Settings, stores: Stores): Tenancy {
  return {
    async list({ id }) {
      const found = [];
      for await (const ids of pagesOf(stores, { type, userId: id as UserId })) {
        const order = [{ column: 'id', direction: 'asc' }] as const;
        const page = { where: isIn('id', ids), order, after: null, limit: ids.length };
        const { records } = await stores.entities.list('organizations', page);
        found.push(...records.map(({ row }) => row as unknown as { readonly id: string; readonly name: string }));
      }
      return found.map(({ id: organizationId, name }) => ({ id: organizationId, name }));
    },
    async isMember({ id }, tenantId, { stores: inside }) {
      if (!isStorableText(tenantId)) return false;
      const [path] = await inside.roleAssignments.readPaths(id as UserId, [{ type, id: tenantId }]);
      return path !== undefined && path.roles.length > 0;
    },
  };
}

const pageSize = 500;

/** Lists the ids of the organizations of a user in pages, each id once. */
async function* pagesOf(
  { roleAssignments }: Stores,
  { type, userId }: { readonly type: string; readonly userId: UserId },
): AsyncGenerator<readonly string[]> {
  let after = '';
  for (;;) {
    const roles = await roleAssignments.listOfType(userId, { type, after, limit: pageSize });
    const ids = [...new Set(roles.map(({ resource }) => resource.id))];
    if (ids.length > 0) yield ids;
    const last = ids.at(-1);
    if (last === undefined || roles.length < pageSize) return;
    after = last;
  }
}
