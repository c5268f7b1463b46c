import type { AuthHooks } from '@x/auth';
import { CodedError } from '@x/errors';
import type { TransactionStores, UserId } from '@x/store';
import { all } from '@x/store/where';
import { organizationOf } from '../access/resource.ts';
import { dissolveOrganization } from './dissolve-organization.ts';
import { lockOrganization } from './lock-organization.ts';

/**
 * Deletes the organizations whose only member is the user whose account is about to be deleted.
 *
 * @throws CodedError `CONFLICT` if they own one that has other members
 */
export const beforeUserDelete: AuthHooks['beforeUserDelete'] = async ({ id }, { stores }) => {
  const held = await stores.roleAssignments.listByUser(id as UserId);
  const owned = held.filter(({ resource, role }) => resource.type === 'organization' && role === 'owner');
  for (const organizationId of owned.map(({ resource }) => resource.id).toSorted()) {
    const members = await lockOrganization(stores, organizationId);
    if (members.some(({ userId }) => userId !== id)) throw hasMembers();
    await deleteOrganization(stores, organizationId);
  }
};

/** Deletes it with everything in it, as the route of the entity does. */
async function deleteOrganization(stores: TransactionStores, id: string): Promise<void> {
  await dissolveOrganization(stores, id);
  await stores.entities.delete('organizations', id, { where: all });
  await stores.hierarchy.removeSubtree(organizationOf(id));
}

function hasMembers(): CodedError {
  return new CodedError('CONFLICT', 'You own an organization that others belong to.');
}
