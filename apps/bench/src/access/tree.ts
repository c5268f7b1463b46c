import { type AccessDefinition, createAccessContext, defineAccess, type AccessContext } from '@x/access';
import type { Stores } from '@x/store';

const model = {
  entities: {
    company: { roles: ['owner'] },
    division: { roles: ['lead'], inherits: { 'company:owner': 'lead' } },
    organization: { roles: ['owner'], inherits: { 'division:lead': 'owner' } },
    project: { roles: ['manager'], inherits: { 'organization:owner': 'manager' } },
    task: { roles: ['editor'], inherits: { 'project:manager': 'editor' } },
  },
  entitlements: { 'task:update': { roles: ['editor'] } },
} as const;

/** Who may change a task: by roles up to four levels above it. */
export const tree: AccessDefinition<typeof model> = defineAccess(model);

/** Opens the access of one user, as for a request. */
export function openTree(
  stores: Pick<Stores, 'roleAssignments' | 'hierarchy'>,
  userId: string,
): AccessContext<typeof model> {
  const { roleAssignments, hierarchy } = stores;
  return createAccessContext({
    userId,
    definition: tree,
    roleStore: roleAssignments,
    closureStore: hierarchy,
    orgResolver: () => null,
  });
}
