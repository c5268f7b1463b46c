import { type RoleAssignment, storeUnavailable, type TransactionStores, type UserId, type UserRecord } from '@x/store';
import { organizationOf } from '../access/resource.ts';
import { leaveTenant } from './leave-tenant.ts';
import { lockOrganization } from './lock-organization.ts';

/**
 * Takes everybody out of an organization that is about to be deleted, and ends its plan. Records and roles go with its own
 * record. In the transaction that deletes it.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` where people never cease to join it
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
 * Takes the turn at who belongs to an organization, and holds all who do. Users are held in one order, and before the
 * organization, as everywhere: where somebody has joined it meanwhile, all is let go of and taken anew.
 */
async function takeWithMembers(stores: TransactionStores, id: string): Promise<readonly UserRecord[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const members = await tryTakeWithMembers(stores, id);
    if (members !== null) return members;
  }
  throw storeUnavailable();
}

/** Returns null, and has taken nothing, where somebody joined who is not held. */
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

/** Undoes the step around it, and so lets go of what it has taken. */
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
