import type { AuthHooks } from '@x/auth';
import { CodedError } from '@x/errors';
import { storeUnavailable, type TransactionStores, type UserId, type UserRecord } from '@x/store';
import { all } from '@x/store/where';
import { organizationOf } from '../access/roles.ts';
import { leaveTenant, lockOrganization, lockUsers, toUserIds } from './members.ts';

/**
 * Deletes the organizations whose only member is the user whose account is about to be deleted.
 *
 * @throws CodedError `CONFLICT` if they own one that has other members
 */
export const beforeUserDelete: AuthHooks['beforeUserDelete'] = async ({ id }, { stores }) => {
  const assignments = await stores.roleAssignments.listByUser(id as UserId);
  const owned = assignments.filter(({ resource, role }) => resource.type === 'organization' && role === 'owner');
  for (const organizationId of owned.map(({ resource }) => resource.id).toSorted()) {
    const members = await lockOrganization(stores, organizationId);
    if (members.some(({ userId }) => userId !== id)) throw hasMembers();
    await deleteOrganization(stores, organizationId);
  }
};

/** Deletes an organization with everything in it, as the route of the entity does. */
async function deleteOrganization(stores: TransactionStores, id: string): Promise<void> {
  await dissolveOrganization(stores, id);
  await stores.entities.delete('organizations', id, { where: all });
  await stores.hierarchy.removeSubtree(organizationOf(id));
}

function hasMembers(): CodedError {
  return new CodedError('CONFLICT', 'You own an organization that others belong to.');
}

/**
 * Removes everybody from an organization that is about to be deleted, and ends its plan. Records and roles are deleted
 * along with its own record. Runs in the transaction that deletes it.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` if people keep joining it
 */
export async function dissolveOrganization(stores: TransactionStores, id: string): Promise<void> {
  for (const user of await lockWithMembers(stores, id)) {
    await leaveTenant(stores, user, id);
    await stores.sessions.raiseVer(user.id);
  }
  await stores.subscriptions.remove(id);
}

const maxAttempts = 10;

/**
 * Locks an organization's membership, and all of its members. Users are locked in one order, and before the
 * organization, as everywhere: if somebody has joined meanwhile, all locks are released and taken again.
 */
async function lockWithMembers(stores: TransactionStores, id: string): Promise<readonly UserRecord[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const members = await tryLockWithMembers(stores, id);
    if (members !== null) return members;
  }
  throw storeUnavailable();
}

/** Returns null, with all locks released, if somebody has joined who is not locked. */
async function tryLockWithMembers(stores: TransactionStores, id: string): Promise<readonly UserRecord[] | null> {
  try {
    return await stores.transaction(async (inside) => {
      const seen = await inside.roleAssignments.listByResource(organizationOf(id));
      const users = await lockUsers(inside, seen);
      const members = toUserIds(await lockOrganization(inside, id));
      const locked = toUserIds(seen);
      if ([...members].some((userId) => !locked.has(userId))) throw new SomebodyJoined();
      return users.filter((user) => members.has(user.id));
    });
  } catch (error) {
    if (error instanceof SomebodyJoined) return null;
    throw error;
  }
}

/** Rolls back the surrounding step, and so releases its locks. */
class SomebodyJoined extends Error {
  override readonly name = 'SomebodyJoined';
}
