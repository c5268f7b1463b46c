import { type RoleAssignment, storeUnavailable, type TransactionStores, type UserId, type UserRecord } from '@x/store';
import { organizationOf } from '../access/resource.ts';
import { leaveTenant } from './leave-tenant.ts';
import { lockOrganization } from './lock-organization.ts';

/**
 * Removes everybody from an organization that is about to be deleted, and ends its plan. Records and roles are deleted
 * along with its own record. Runs in the transaction that deletes it.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` if people keep joining it
 */
export async function dissolveOrganization(stores: TransactionStores, id: string): Promise<void> {
  for (const user of await takeWithMembers(stores, id)) {
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
async function takeWithMembers(stores: TransactionStores, id: string): Promise<readonly UserRecord[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const members = await tryTakeWithMembers(stores, id);
    if (members !== null) return members;
  }
  throw storeUnavailable();
}

/** Returns null, and holds no lock, if somebody has joined who is not locked. */
async function tryTakeWithMembers(stores: TransactionStores, id: string): Promise<readonly UserRecord[] | null> {
  try {
    return await stores.transaction(async (inside) => {
      const seen = await inside.roleAssignments.listByResource(organizationOf(id));
      const users = await holdAll(inside, seen);
      const belonging = toUserIds(await lockOrganization(inside, id));
      const known = toUserIds(seen);
      if ([...belonging].some((userId) => !known.has(userId))) throw new SomebodyJoined();
      return users.filter((user) => belonging.has(user.id));
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

async function holdAll({ users }: TransactionStores, held: readonly RoleAssignment[]): Promise<readonly UserRecord[]> {
  const found: UserRecord[] = [];
  for (const id of [...toUserIds(held)].toSorted()) {
    const user = await users.hold(id);
    if (user) found.push(user);
  }
  return found;
}

function toUserIds(held: readonly RoleAssignment[]): ReadonlySet<UserId> {
  return new Set(held.map(({ userId }) => userId));
}
