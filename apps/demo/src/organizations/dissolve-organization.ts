import type { RoleAssignment, TransactionStores, UserRecord } from '@x/store';
import { organizationOf } from '../access/resource.ts';
import { leaveTenant } from './leave-tenant.ts';
import { takeOrganization } from './take-organization.ts';

/**
 * Takes everybody out of an organization that is about to be deleted, and ends its plan. Records and roles go with its own
 * record. In the transaction that deletes it.
 */
export async function dissolveOrganization(stores: TransactionStores, id: string): Promise<void> {
  // Users are held in one order, and before the organization, as everywhere.
  const seen = await stores.roleAssignments.listByResource(organizationOf(id));
  await holdAll(stores, seen);
  const members = await holdAll(stores, await takeOrganization(stores, id));
  for (const user of members) {
    await leaveTenant(stores, user, id);
    await stores.sessions.raiseVer(user.id);
  }
  await stores.subscriptions.remove(id);
}

async function holdAll({ users }: TransactionStores, held: readonly RoleAssignment[]): Promise<readonly UserRecord[]> {
  const found: UserRecord[] = [];
  for (const id of [...new Set(held.map(({ userId }) => userId))].toSorted()) {
    const user = await users.hold(id);
    if (user) found.push(user);
  }
  return found;
}
